import type { Reply } from "../reply.ts";

/** What a request says about the form of its answer. */
export interface ChatWireOptions {
  readonly includeUsage: boolean;
  /** How many alternatives to list for each token; null: no logprobs. */
  readonly topLogprobs: number | null;
}

export function chatAnswerId(reply: Reply): string {
  return "scripted" in reply.id ? reply.id.scripted : `chatcmpl-${reply.id.unique}`;
}

export const systemFingerprint = "fp_sandbox";
export const serviceTier = "default";
