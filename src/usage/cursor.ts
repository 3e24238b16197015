import { invalidRequest } from "../errors.ts";
import { isRequestId } from "../identifiers.ts";

/**
 * The cursor of the page that follows the record `id`. It is good for one owner only: a key id, or `allKeys`.
 * It keeps no secret, since an owner sees nothing but its own records by any cursor.
 */
export function encodeCursor(owner: string, id: string): string {
  return Buffer.from(`${id}${checksum(owner, id)}`, "latin1").toString("base64url");
}

/** The owner of cursors of lists over all keys. */
export const allKeys = "*";

/** The id within a cursor. @throws 400 naming `after` if the cursor is damaged, or another owner's */
export function decodeCursor(owner: string, cursor: string): string {
  const text = Buffer.from(cursor, "base64url").toString("latin1");
  const id = text.slice(0, idLength);
  if (!isRequestId(id) || encodeCursor(owner, id) !== cursor) {
    const message = "Invalid value for 'after': expected 'next' of the page before it, in a list of the same key.";
    throw invalidRequest("invalid_parameter", message, "after");
  }
  return id;
}

const idLength = 30;

function checksum(owner: string, id: string): string {
  return new Bun.CryptoHasher("sha256").update(`${owner}\n${id}`).digest("hex").slice(0, 16);
}
