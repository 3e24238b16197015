import { ChunkFraming, ChunkState } from "../../../http/chunked.ts";
import { ownBytes } from "../../../http/own-bytes.ts";
import { bodyIsChunked, endOfHead } from "../../../http/syntax.ts";
import { bodyEndsWithConnection, ResponseHead, startOfAnswer } from "./response-head.ts";
import { packBytes, type WaitingBytes } from "./waiting-bytes.ts";

const maxHeadBytes = 65_536;
/** Answers like 100 and 103 that may come before the final one. */
const maxInterimAnswers = 16;

/** A result of `AnswerParser.next`. */
export const Found = {
  /** The input is used up; `give` more. */
  nothing: 0,
  /** The final head, in `head`. */
  head: 1,
  /** A piece of the body, in `piece`. */
  bytes: 2,
  /** The answer is complete. */
  end: 3,
  /** The answer is malformed; `fault` says how. */
  invalid: 4,
} as const;

const enum Step {
  head,
  body,
  chunks,
  untilClose,
  end,
}

/** A listener takes a piece without a break: one of all that is read at once (512 KiB) could take it many milliseconds. */
const maxPieceBytes = 32 << 10;

const firstHeldBytes = 1_024;

/**
 * Reads answers from the bytes of one connection, step by step: the reader asks for what comes next, so it can stop at any point.
 * One object serves a connection for all its answers.
 */
export class AnswerParser {
  head: ResponseHead | null = null;
  piece: Uint8Array | null = null;
  fault = "";
  /** Whether any byte of an answer has come. */
  begun = false;

  private step: Step = Step.head;
  private input: Buffer | null = null;
  private at = 0;
  /** What has arrived behind `input`, oldest first. */
  private readonly behind: Buffer[] = [];
  /** What is left of the input, made small; there is no other input then. */
  private waiting: WaitingBytes | null = null;
  /** The beginning of a head whose end has not come: its bytes are the first `#heldLength` of these. */
  private held: Buffer | null = null;
  private heldLength = 0;
  private interim = 0;
  private remaining = 0;
  private requestIsHead = false;
  private chunks: ChunkFraming | null = null;

  /** Prepares for the answer to a new request. */
  reset(requestIsHead: boolean): void {
    this.head = null;
    this.piece = null;
    this.fault = "";
    this.begun = false;
    this.forgetHeld();
    this.step = Step.head;
    this.forgetInput();
    this.interim = 0;
    this.requestIsHead = requestIsHead;
  }

  /** Gives bytes that arrived. What is told as a piece later is part of them, not a copy. */
  give(bytes: Buffer): void {
    this.begun = true;
    if (this.hasInput) {
      this.behind.push(bytes);
      return;
    }
    this.input = bytes;
    this.at = 0;
  }

  /** Makes what has not been asked for small, since it may wait for a long time: Bun reads 512 KiB at once, and more. */
  pack(): void {
    const { input, behind } = this;
    this.piece = null;
    if (input === null) return;
    const own = input.subarray(this.at);
    const rest = behind.length === 0 ? own : Buffer.concat([own, ...behind]);
    const waiting = packBytes(rest);
    this.forgetInput();
    if (waiting !== null) this.waiting = waiting;
    else {
      // What was read together with it is let go of.
      const owned = ownBytes(rest);
      this.input = Buffer.from(owned.buffer, owned.byteOffset, owned.byteLength);
    }
  }

  private unpack(waiting: WaitingBytes): boolean {
    this.waiting = null;
    this.input = waiting.take();
    this.at = 0;
    return this.input !== null;
  }

  /** Forgets what has not been asked for. To be called when nothing will be. */
  forgetInput(): void {
    this.input = null;
    this.at = 0;
    this.behind.length = 0;
    this.waiting?.drop();
    this.waiting = null;
  }

  /** Whether there are bytes that have not been asked for. */
  get hasInput(): boolean {
    return this.waiting !== null || this.behind.length > 0 || (this.input !== null && this.at < this.input.length);
  }

  /** Whether the answer is complete if the connection ends here. */
  get mayEndHere(): boolean {
    return this.step === Step.untilClose && !this.hasInput;
  }

  /** The next result: one of `Found`. */
  next(): number {
    if (this.waiting !== null && !this.unpack(this.waiting)) return this.fail("it could not be kept for its reader");
    let found = this.nextInInput();
    while (found === Found.nothing && this.behind.length > 0) {
      this.input = this.behind.shift() ?? null;
      this.at = 0;
      found = this.nextInInput();
    }
    return found;
  }

  private nextInInput(): number {
    const input = this.input;
    if (input === null) return Found.nothing;
    switch (this.step) {
      case Step.head:
        return this.readHead(input);
      case Step.body: {
        if (this.remaining === 0) return this.ended();
        return this.take(input, this.remaining);
      }
      case Step.chunks:
        return this.readChunks(input);
      case Step.untilClose:
        return this.take(input, Infinity);
      case Step.end:
        return Found.end;
    }
  }

  private ended(): number {
    this.step = Step.end;
    return Found.end;
  }

  private fail(fault: string): number {
    this.fault = fault;
    this.forgetInput();
    return Found.invalid;
  }

  /** Tells of at most `limit` bytes. */
  private take(input: Buffer, limit: number): number {
    const at = this.at;
    const length = Math.min(input.length - at, limit, maxPieceBytes);
    if (length === 0) return this.usedUp();
    this.piece = length === input.length ? input : input.subarray(at, at + length);
    this.at = at + length;
    this.remaining -= length;
    return Found.bytes;
  }

  private usedUp(): number {
    this.input = null;
    return Found.nothing;
  }

  private readChunks(input: Buffer): number {
    if (this.remaining > 0) return this.take(input, this.remaining);
    const chunks = this.chunks;
    if (chunks === null) return this.fail("it has no chunks");
    this.at = chunks.read(input, this.at);
    switch (chunks.state) {
      case ChunkState.data:
        this.remaining = chunks.size;
        return this.at < input.length ? this.take(input, this.remaining) : this.usedUp();
      case ChunkState.end:
        return this.ended();
      case ChunkState.invalid:
        return this.fail("its chunks are malformed");
      default:
        return this.usedUp();
    }
  }

  private readHead(input: Buffer): number {
    for (;;) {
      const head = this.headIn(input);
      if (head === null) return this.fault === "" ? this.usedUp() : this.fail(this.fault);
      if (head.fault !== null) return this.fail(head.fault);
      if (head.status >= 200) return this.beginBody(head);
      if (head.status === 101) return this.fail("it switches to a protocol that was not asked for");
      if (++this.interim > maxInterimAnswers) return this.fail("too many interim answers come before it");
      if (this.at === input.length) return this.usedUp();
    }
  }

  private beginBody(head: ResponseHead): number {
    this.head = head;
    if (head.body === bodyIsChunked) {
      this.step = Step.chunks;
      this.remaining = 0;
      if (this.chunks === null) this.chunks = new ChunkFraming(true);
      else this.chunks.reset();
    } else if (head.body === bodyEndsWithConnection) {
      this.step = Step.untilClose;
    } else {
      this.step = Step.body;
      this.remaining = head.body;
    }
    return Found.head;
  }

  /** The next head; null if its end has not come or, with `fault` set, never will. */
  private headIn(input: Buffer): ResponseHead | null {
    if (this.held !== null) return this.hold(this.held, input, this.at);
    const at = this.at;
    const end = input.indexOf(endOfHead, at);
    if (end < 0 || end - at > maxHeadBytes) return this.hold(Buffer.allocUnsafe(firstHeldBytes), input, at);
    this.at = end + 4;
    return new ResponseHead(input, at, end + 2, this.requestIsHead);
  }

  /** Adds to a head that comes in several packets. Its buffer grows by doubling, so that single bytes do not cost a copy of all. */
  private hold(buffer: Buffer, input: Buffer, at: number): ResponseHead | null {
    const before = this.heldLength;
    const taken = Math.min(input.length - at, maxHeadBytes + 4 - before);
    const length = before + taken;
    let held = buffer;
    if (held.length < length) {
      held = Buffer.allocUnsafe(Math.max(length, held.length * 2));
      buffer.copy(held, 0, 0, before);
    }
    input.copy(held, before, at, at + taken);
    this.held = held;
    this.heldLength = length;
    const end = held.subarray(0, length).indexOf(endOfHead, Math.max(0, before - 3));
    if (end >= 0) {
      this.forgetHeld();
      this.at = at + end + 4 - before;
      return new ResponseHead(held, 0, end + 2, this.requestIsHead);
    }
    const known = Math.min(length, startOfAnswer.length);
    if (held.compare(startOfAnswer, 0, known, 0, known) !== 0) {
      this.fault = "it does not begin with an HTTP/1 status line";
    } else if (length >= maxHeadBytes + 4) {
      this.fault = `its head is larger than ${maxHeadBytes} bytes`;
    }
    return null;
  }

  private forgetHeld(): void {
    this.held = null;
    this.heldLength = 0;
  }
}
