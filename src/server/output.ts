import type { Socket } from "bun";
import { ownBytes } from "../http/own-bytes.ts";

/** What is written is put together here. What a socket does not take of it is copied. */
const scratch = Buffer.allocUnsafeSlow(256 << 10);
/** Room for a head before a body that is put together with it. */
const headRoom = 8 << 10;
/** Longer texts are encoded piece by piece, in characters. */
const largeText = 1 << 20;
/** Pieces of a stream together below this wait for others until the running code has returned. */
const gatheredBytes = 16 << 10;

const lastChunk = "0\r\n\r\n";
/** Of the line that begins a chunk: up to eight digits. */
const maxSizeBytes = 10;

/**
 * What is written to one socket: whole answers, and streams. What the socket does not take at once waits here, so that bytes which
 * are given must not be changed later.
 */
export class Output {
  private readonly socket: Socket<unknown>;
  private readonly maxQueuedBytes: number;
  /** What the socket would not take. */
  private unsent: Uint8Array | null = null;
  /** The rest of a long text, which comes after `unsent`. */
  private text = "";
  private textAt = 0;
  /** Pieces of a stream that have not been tried. */
  private pieces: Uint8Array[] = [];
  private queued = 0;
  /** What comes before the next piece. */
  private before = "";
  private isChunked = false;
  private isEnding = false;

  constructor(socket: Socket<unknown>, maxQueuedBytes: number) {
    this.socket = socket;
    this.maxQueuedBytes = maxQueuedBytes;
  }

  /** Whether something waits until the socket takes more. */
  get isBlocked(): boolean {
    return this.unsent !== null || this.text !== "";
  }

  /** Whether all has been taken. */
  get isEmpty(): boolean {
    return !this.isBlocked && !this.hasUntried;
  }

  private get hasUntried(): boolean {
    return this.queued > 0 || this.before !== "" || this.isEnding;
  }

  /** Writes a whole answer: `head` up to the length, which is added here. `isHead`: only the length is told of the body. */
  answer(head: string, body: string | Uint8Array, isHead: boolean): void {
    if (typeof body === "string") this.answerText(head, body, isHead);
    else this.answerBytes(head, body, isHead);
  }

  /** Writes a text of latin1 characters. */
  write(text: string): void {
    if (text.length > scratch.length) this.send(Buffer.from(text, "latin1"));
    else this.send(scratch, 0, scratch.write(text, 0, "latin1"));
  }

  /** Begins a stream with its head. Nothing is sent before `flush`. */
  begin(head: string, isChunked: boolean): void {
    this.before = head;
    this.isChunked = isChunked;
  }

  /** Adds a piece to a stream. Returns whether more may follow; else there have been enough until the socket takes more. */
  push(bytes: Uint8Array): boolean {
    if (bytes.length > 0) {
      this.queued += bytes.length;
      const isSentNow = this.queued >= gatheredBytes && !this.isBlocked;
      // What is sent now is copied as it is put together; what waits must not keep the buffer that it is a part of.
      this.pieces.push(isSentNow ? bytes : ownBytes(bytes));
      if (isSentNow) this.flush();
    }
    return !this.isBlocked && this.queued < this.maxQueuedBytes;
  }

  /** Ends a stream. Nothing is sent before `flush`. */
  finish(): void {
    this.isEnding = true;
  }

  /** Sends what a stream has gathered, as one chunk. */
  flush(): void {
    if (this.isBlocked || !this.hasUntried) return;
    const { pieces, queued, before, isChunked, isEnding } = this;
    this.before = "";
    this.isEnding = false;
    this.queued = 0;
    const maxLength = before.length + maxSizeBytes + queued + lastChunk.length + 2;
    const buffer = maxLength <= scratch.length ? scratch : Buffer.allocUnsafeSlow(maxLength);
    let at = before === "" ? 0 : buffer.write(before, 0, "latin1");
    if (isChunked && queued > 0) at = writeSize(buffer, at, queued);
    for (const piece of pieces) {
      buffer.set(piece, at);
      at += piece.length;
    }
    pieces.length = 0;
    if (isChunked && queued > 0) at = writeLineEnd(buffer, at);
    if (isChunked && isEnding) at += buffer.write(lastChunk, at, "latin1");
    this.send(buffer, 0, at);
  }

  /** Makes a caller that has gone answer with a reset: a digit before the size of the next chunk, which means nothing. */
  probeStream(): void {
    if (this.isChunked && !this.isBlocked && !this.hasUntried) this.write("0");
  }

  /** The socket takes bytes again. */
  drained(): void {
    const { unsent } = this;
    this.unsent = null;
    if (unsent !== null) this.send(unsent);
    while (this.unsent === null && this.text !== "") this.sendText();
    if (!this.isBlocked) this.flush();
  }

  /** Forgets what has not been sent. */
  clear(): void {
    this.unsent = null;
    this.text = "";
    this.pieces.length = 0;
    this.queued = 0;
    this.before = "";
    this.isEnding = false;
  }

  private answerText(head: string, body: string, isHead: boolean): void {
    // No character takes more than three bytes.
    if (body.length * 3 <= scratch.length - headRoom) {
      const length = scratch.write(body, headRoom);
      const full = withLength(head, length);
      if (full.length <= headRoom) {
        const start = headRoom - full.length;
        scratch.write(full, start, "latin1");
        this.send(scratch, start, isHead ? full.length : full.length + length);
        return;
      }
    }
    if (body.length <= largeText) {
      this.answerBytes(head, Buffer.from(body), isHead);
      return;
    }
    this.write(withLength(head, Buffer.byteLength(body)));
    if (isHead) return;
    this.text = body;
    this.textAt = 0;
    while (this.unsent === null && this.text !== "") this.sendText();
  }

  private answerBytes(head: string, body: Uint8Array, isHead: boolean): void {
    const full = withLength(head, body.length);
    if (isHead || full.length + body.length > scratch.length) {
      this.write(full);
      if (!isHead) this.send(body);
      return;
    }
    const start = scratch.write(full, 0, "latin1");
    scratch.set(body, start);
    this.send(scratch, 0, start + body.length);
  }

  private sendText(): void {
    const { text, textAt } = this;
    let end = Math.min(text.length, textAt + largeText);
    // A character of two units is not cut in two.
    if (end < text.length && (text.charCodeAt(end - 1) & 0xfc00) === 0xd800) end--;
    if (end === text.length) this.text = "";
    this.textAt = end;
    this.send(Buffer.from(text.slice(textAt, end)));
  }

  private send(bytes: Uint8Array, start = 0, length = bytes.length): void {
    if (this.unsent !== null) {
      this.unsent = Buffer.concat([this.unsent, bytes.subarray(start, start + length)]);
      return;
    }
    const written = this.socket.write(bytes, start, length);
    // Below 0 if the socket is closed, which is told elsewhere.
    if (written === length || written < 0) return;
    const rest = bytes.subarray(start + written, start + length);
    this.unsent = bytes === scratch ? Buffer.concat([rest]) : ownBytes(rest);
  }
}

/** Writes the line that begins a chunk of so many bytes, and returns where it ends. */
function writeSize(buffer: Buffer, start: number, size: number): number {
  let at = start;
  for (let shift = 28; shift >= 0; shift -= 4) {
    const digit = (size >>> shift) & 15;
    if (digit > 0 || at > start) buffer[at++] = digit + (digit < 10 ? 48 : 87);
  }
  return writeLineEnd(buffer, at);
}

function writeLineEnd(buffer: Buffer, at: number): number {
  buffer[at] = 13;
  buffer[at + 1] = 10;
  return at + 2;
}

function withLength(head: string, length: number): string {
  return `${head}content-length: ${length}\r\n\r\n`;
}
