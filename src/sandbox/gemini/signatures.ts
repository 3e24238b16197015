/** What Google says to send where the signature of an earlier call is not known. */
const skips: readonly string[] = ["skip_thought_signature_validator", "context_engineering_is_the_way_to_go"];

const mark = "sandbox signature ";

/** A signature of the sandbox's, opaque to whoever passes it on. */
export function makeSignature(text: string): string {
  return Buffer.from(mark + Bun.hash(text).toString(16).padStart(16, "0")).toString("base64");
}

/** Whether a signature is one of the sandbox's, unchanged, or one of those that ask not to be checked. */
export function isSignature(value: unknown): boolean {
  if (typeof value !== "string") return false;
  return skips.includes(value) || Buffer.from(value, "base64").toString().startsWith(mark);
}

/** Whether a model of this name refuses function calls without their signatures, as Gemini 3 and later do. */
export function needsSignatures(model: string): boolean {
  return /gemini-([3-9]|\d\d)/.test(model);
}
