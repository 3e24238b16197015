/** The values that Google documents for calls with an unknown signature. */
const skips: readonly string[] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

const mark = "sandbox signature ";

/** Creates an opaque signature. */
export function makeSignature(text: string): string {
  return Buffer.from(mark + Bun.hash(text).toString(16).padStart(16, "0")).toString("base64");
}

/** Whether a signature is from the sandbox and unchanged, or one that skips the check. */
export function isSignature(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return skips.includes(value) || Buffer.from(value, "base64").toString().startsWith(mark);
}

/** Whether a model of this name rejects function calls without signatures, like Gemini 3 and later. */
export function needsSignatures(model: string): boolean {
  return /gemini-([3-9]|\d\d)/.test(model);
}
