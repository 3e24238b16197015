import type { Content } from "./content.ts";

/**
 * Stores contents by keys. A blob is there as a whole or not at all, whenever a process dies. Blobs of one key have the same
 * content, so that storing one twice changes nothing.
 */
export interface BlobStore {
  /** Stores a content durably. Throws a 507 if there is no room. */
  put(key: string, content: Content): Promise<void>;
  /** The size of a blob in bytes; null if there is none of this key. */
  size(key: string): Promise<number | null>;
  /**
   * The bytes of a blob from `start` up to `end`, in pieces of at most 128 KiB. Reading throws if there is none of this key.
   * @param buffer that each piece is read into: a piece is good until the next one is asked for
   */
  read(key: string, start: number, end: number, buffer?: Buffer): AsyncIterable<Uint8Array>;
  /** Removes a blob, if there is one of this key. */
  remove(key: string): Promise<void>;
}

/** A new key for a content: its SHA-256 and eight random digits, so that a blob that is being removed is none of a new one. */
export function newBlobKey(sha256: string): string {
  return `${sha256}-${Buffer.from(crypto.getRandomValues(new Uint8Array(4))).toString("hex")}`;
}

/** Whether a text has the form of a key. */
export function isBlobKey(text: string): boolean {
  return /^[0-9a-f]{64}-[0-9a-f]{8}$/.test(text);
}
