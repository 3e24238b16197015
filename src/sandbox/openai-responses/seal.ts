const head = "gAAAAAB";

/** Encrypts reasoning, so that only this vendor can read it. */
export function seal(reasoning: string): string {
  return head + Buffer.from(JSON.stringify([reasoning, checksum(reasoning)])).toString("base64url");
}

/** Whether the encrypted reasoning is from this vendor and unchanged. */
export function isOwnSeal(sealed: string): boolean {
  if (!sealed.startsWith(head)) return false;
  try {
    const opened: unknown = JSON.parse(Buffer.from(sealed.slice(head.length), "base64url").toString());
    return Array.isArray(opened) && opened[1] === checksum(String(opened[0]));
  } catch {
    return false;
  }
}

function checksum(text: string): string {
  return Bun.hash(`sealed by the sandbox: ${text}`).toString(36);
}
