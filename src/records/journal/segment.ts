import { closeSync, existsSync, fstatSync, openSync, readSync, renameSync, writeSync } from "node:fs";
import { removeIfThere } from "./remove-if-there.ts";

/** Writes bytes at a position of a file and returns how many it took. Replaced in tests to make writing fail. */
export type WriteAt = (descriptor: number, bytes: Uint8Array, position: number) => number;

export const writeAt: WriteAt = (descriptor, bytes, position) =>
  writeSync(descriptor, bytes, 0, bytes.length, position);

/**
 * One file of the journal, of fixed size: lines, then zeros up to its end. The zeros were really written when it was
 * made, so the disk has the room, and lines that overwrite them find it however full the disk is by then.
 */
export interface Segment {
  /** Bytes that lines take. */
  readonly used: number;
  readonly size: number;
  /** Writes lines behind the others and returns their offset. Throws, and leaves nothing, if they cannot be written. */
  append(lines: Uint8Array): number;
  /** Takes back the lines from this offset on. Throws if zeros cannot be written. */
  truncate(offset: number): void;
  read(offset: number, length: number): string;
  /** Whether the file was removed by somebody else: what is written to it now would end with this process. */
  isGone(): boolean;
  rename(path: string): void;
  /** Removes the file. */
  remove(): void;
  /** Leaves the file for the next start. */
  close(): void;
}

const zeros = Buffer.alloc(256 * 1024);

/** Makes a segment. Throws, and leaves no file, if the disk has no room for all of it. */
export function createSegment(path: string, size: number, write: WriteAt = writeAt): Segment {
  const descriptor = openSync(path, "wx+", 0o600);
  try {
    writeZeros(descriptor, 0, size, write);
  } catch (error) {
    closeSync(descriptor);
    removeIfThere(path);
    throw error;
  }
  return segmentOf(path, descriptor, 0, size, write);
}

/** Opens a segment that another process left, for reading. */
export function openSegment(path: string): Segment {
  const descriptor = openSync(path, "r+");
  const { size } = fstatSync(descriptor);
  const bytes = Buffer.alloc(size);
  const length = readSync(descriptor, bytes, 0, size, 0);
  const end = bytes.subarray(0, length).indexOf(0);
  return segmentOf(path, descriptor, end === -1 ? length : end, size, writeAt);
}

function segmentOf(
  initialPath: string,
  descriptor: number,
  initialUsed: number,
  size: number,
  write: WriteAt,
): Segment {
  let path = initialPath;
  let used = initialUsed;
  return {
    get used() {
      return used;
    },
    size,
    append(lines) {
      const offset = used;
      try {
        writeAll(descriptor, lines, offset, write);
      } catch (error) {
        // A part of what was refused must not be read as records later.
        try {
          writeZeros(descriptor, offset, offset + lines.length, write);
        } catch {
          // Nothing is written behind it then, and a reader takes whole lines of it for what they are: a commit that
          // failed is tried again under the same id.
          used = size;
        }
        throw error;
      }
      used += lines.length;
      return offset;
    },
    truncate(offset) {
      writeZeros(descriptor, offset, used, write);
      used = offset;
    },
    read(offset, length) {
      const bytes = Buffer.alloc(length);
      return bytes.toString("utf8", 0, readSync(descriptor, bytes, 0, length, offset));
    },
    isGone: () => !existsSync(path),
    rename(next) {
      renameSync(path, next);
      path = next;
    },
    remove() {
      removeIfThere(path);
      closeSync(descriptor);
    },
    close: () => closeSync(descriptor),
  };
}

function writeAll(descriptor: number, bytes: Uint8Array, position: number, write: WriteAt): void {
  let written = 0;
  while (written < bytes.length) written += write(descriptor, bytes.subarray(written), position + written);
}

function writeZeros(descriptor: number, from: number, to: number, write: WriteAt): void {
  for (let at = from; at < to; at += zeros.length) {
    writeAll(descriptor, zeros.subarray(0, Math.min(zeros.length, to - at)), at, write);
  }
}
