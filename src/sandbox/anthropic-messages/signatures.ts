const mark = "sandbox thinking ";

/** Signs a thinking block. */
export function signThinking(thinking: string): string {
  return Buffer.from(mark + fingerprint(thinking)).toString("base64");
}

/** Whether the signature is valid for this thinking block. A block with omitted text comes back empty. */
export function isSigned(thinking: string, signature: unknown): boolean {
  if (typeof signature !== "string") return false;
  if (thinking === "") return Buffer.from(signature, "base64").toString().startsWith(mark);
  return signature === signThinking(thinking);
}

function fingerprint(text: string): string {
  return Bun.hash(`signed by the sandbox: ${text}`).toString(16).padStart(16, "0");
}
