import type { AnswerContext } from "../codec.ts";

/** The provider's own id, whatever its form: clients do not check it. */
export function messagesAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId ?? `msg_${context.fallbackId}`;
}
