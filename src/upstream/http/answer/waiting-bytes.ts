import { createCipheriv, randomBytes } from "node:crypto";
import { closeSync, openSync, readSync, unlinkSync, writeSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { zlib } from "./zlib.ts";

/** Less is kept as it is, in bytes. */
const minPackedBytes = 32 << 10;
/** More is kept in a file, in bytes, also what is compressed. */
const maxHeldBytes = 64 << 10;
/** More is not compressed: it takes too long. */
const maxDeflatedBytes = 512 << 10;
/** Whether the rest is worth compressing shows in so many bytes. */
const sampleBytes = 16 << 10;
/** Bytes of all files together; beyond it, what waits stays in memory. */
const maxFileBytes = 1 << 30;

const fastest = { level: 1 };

/** Bytes that wait for a stalled reader, in a form that holds little memory. */
export interface WaitingBytes {
  /** Gives the bytes back, once. Null if the disk does not. */
  take(): Buffer | null;
  /** They are not needed any more. */
  drop(): void;
}

/**
 * Makes bytes small that may wait for a long time: compressed, which events of a stream are to a tenth, or else in a
 * temporary file, which is encrypted since they may be part of a conversation. Null if they are few enough as they are, or
 * the file cannot be written.
 */
export function packBytes(bytes: Buffer): WaitingBytes | null {
  if (bytes.length < minPackedBytes) return null;
  const deflated = deflate(bytes);
  const packed = deflated ?? bytes;
  if (packed.length > maxHeldBytes) {
    const file = writeFile(packed);
    if (file !== null) return deflated === null ? file : inflated(file);
  }
  return deflated === null ? null : { take: () => zlib().inflateSync(deflated), drop() {} };
}

function inflated(file: WaitingBytes): WaitingBytes {
  return {
    take() {
      const deflated = file.take();
      return deflated && zlib().inflateSync(deflated);
    },
    drop: () => file.drop(),
  };
}

/** Null if it is not worth it. */
function deflate(bytes: Buffer): Buffer | null {
  if (bytes.length > maxDeflatedBytes) return null;
  const sample = zlib().deflateSync(bytes.subarray(0, sampleBytes), fastest);
  if (sample.length * 2 > sampleBytes) return null;
  const deflated = zlib().deflateSync(bytes, fastest);
  return deflated.length * 2 > bytes.length ? null : deflated;
}

const key = randomBytes(32);
let fileBytes = 0;
let files = 0;

/** Has no name from the beginning, so that nothing of it is left whatever happens. Null if it cannot be written. */
function writeFile(bytes: Buffer): WaitingBytes | null {
  if (fileBytes + bytes.length > maxFileBytes) return null;
  const { length } = bytes;
  const initial = randomBytes(16);
  let file: number;
  try {
    const path = join(tmpdir(), `tollgate-${process.pid}-${files++}-${initial.toString("hex")}`);
    file = openSync(path, "wx+", 0o600);
    unlinkSync(path);
  } catch {
    return null;
  }
  const close = () => {
    fileBytes -= length;
    closeSync(file);
  };
  fileBytes += length;
  try {
    const secret = cipher(initial).update(bytes);
    if (writeSync(file, secret, 0, length, 0) < length) throw new Error("The disk is full.");
  } catch {
    close();
    return null;
  }
  return {
    take() {
      const secret = Buffer.allocUnsafeSlow(length);
      try {
        return readSync(file, secret, 0, length, 0) < length ? null : cipher(initial).update(secret);
      } catch {
        return null;
      } finally {
        close();
      }
    },
    drop: close,
  };
}

/** In counter mode, which enciphers and deciphers alike. */
function cipher(initial: Buffer) {
  return createCipheriv("aes-256-ctr", key, initial);
}
