/** Bytes that can be read as often as needed, from a file or from memory. */
export interface Content {
  readonly size: number;
  /** SHA-256 in hexadecimal digits. */
  readonly sha256: string;
  /** All of it in pieces of at most 128 KiB. Each call reads from the beginning. */
  readonly stream: () => AsyncIterable<Uint8Array>;
  /** The file that holds it; null if it is in memory. */
  readonly scratchFile: ScratchFile | null;
}

/** A file that lasts as long as the request that made it, unless it is moved. Its bytes are read by its descriptor. */
export interface ScratchFile {
  /** Adds bytes at the end. Throws a 507 if the disk is full. */
  append(bytes: Uint8Array): Promise<void>;
  /** The bytes from `start` up to `end`, in pieces of at most 128 KiB. */
  read(start: number, end: number): AsyncIterable<Uint8Array>;
  /** The same without memory for each piece: one is good until the next one is asked for. */
  pass(start: number, end: number): AsyncIterable<Uint8Array>;
  /** Makes the bytes durable, then moves the file. It can be read afterwards as before. Throws a 507 if the disk is full. */
  moveTo(path: string): Promise<void>;
  /** Removes the file if it has not been moved. Once or more often is the same. */
  dispose(): Promise<void>;
}

/** Bytes of one piece: what is sent of it is put together without a buffer of its own. */
export const pieceBytes = 128 << 10;
