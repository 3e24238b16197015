import type { Reply } from "../reply.ts";

/** The parts of a request that determine the form of the answer. */
export interface ChatWireOptions {
  readonly includeUsage: boolean;
  /** The number of alternatives listed for each token; null: no logprobs. */
  readonly topLogprobs: number | null;
}

export function chatAnswerId(reply: Reply): string {
  return "scripted" in reply.id ? reply.id.scripted : `chatcmpl-${reply.id.unique}`;
}

export const systemFingerprint = "fp_sandbox";
export const serviceTier = "default";
