const mark = "sandbox thinking ";

/** The signature of a thought: nobody else can make it, and it fits no other thought. */
export function signThinking(thinking: string): string {
  return Buffer.from(mark + fingerprint(thinking)).toString("base64");
}

/** Whether the signature is the sandbox's own for this thought. A thought that was not shown comes back empty. */
export function isSigned(thinking: string, signature: unknown): boolean {
  if (typeof signature !== "string") return false;
  if (thinking === "") return Buffer.from(signature, "base64").toString().startsWith(mark);
  return signature === signThinking(thinking);
}

function fingerprint(text: string): string {
  return Bun.hash(`signed by the sandbox: ${text}`).toString(16).padStart(16, "0");
}
