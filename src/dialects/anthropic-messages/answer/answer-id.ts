import type { AnswerContext } from "../../codec.ts";

/** The provider's id if it has the form of Anthropic's message ids, else one of the gateway's own. */
export function messagesAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId?.startsWith("msg_") === true ? providerId : `msg_${context.fallbackId}`;
}
