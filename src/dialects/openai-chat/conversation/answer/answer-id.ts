import type { AnswerContext } from "../../../codec.ts";

/** The provider's id if it has the form of OpenAI's completion ids, else one of the gateway's own. */
export function chatAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId?.startsWith("chatcmpl-") === true ? providerId : `chatcmpl-${context.fallbackId}`;
}
