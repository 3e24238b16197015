import type { AnswerContext } from "../../codec.ts";

/** The provider's own id, whatever its form: clients do not check it. */
export function chatAnswerId(providerId: string | null, context: Pick<AnswerContext, "fallbackId">): string {
  return providerId ?? `chatcmpl-${context.fallbackId}`;
}
