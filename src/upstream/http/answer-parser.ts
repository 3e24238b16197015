import { ChunkFraming, ChunkState } from "./chunked.ts";
import { bodyEndsWithConnection, bodyIsChunked, ResponseHead } from "./response-head.ts";

const maxHeadBytes = 65_536;
/** Answers like 100 and 103 that may come before the final one. */
const maxInterimAnswers = 16;

/** What `AnswerParser.next` found. */
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

const startOfAnswer = Buffer.from("HTTP/1.");

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

  #step: Step = Step.head;
  #input: Buffer | null = null;
  #at = 0;
  /** The beginning of a head whose end has not come: its bytes are the first `#heldLength` of these. */
  #held: Buffer | null = null;
  #heldLength = 0;
  #interim = 0;
  #remaining = 0;
  #requestIsHead = false;
  #chunks: ChunkFraming | null = null;

  /** Prepares for the answer to a new request. */
  reset(requestIsHead: boolean): void {
    this.head = null;
    this.piece = null;
    this.begun = false;
    this.#step = Step.head;
    this.#input = null;
    this.#interim = 0;
    this.#requestIsHead = requestIsHead;
  }

  /** Gives bytes that arrived. What is told as a piece later is part of them, not a copy. */
  give(bytes: Buffer): void {
    this.begun = true;
    if (this.#input !== null && this.#at < this.#input.length) {
      this.#input = Buffer.concat([this.#input.subarray(this.#at), bytes]);
    } else {
      this.#input = bytes;
    }
    this.#at = 0;
  }

  /** Whether there are bytes that have not been asked for. */
  get hasInput(): boolean {
    return this.#input !== null && this.#at < this.#input.length;
  }

  /** Whether the answer is complete if the connection ends here. */
  get mayEndHere(): boolean {
    return this.#step === Step.untilClose && !this.hasInput;
  }

  /** What comes next: one of `Found`. */
  next(): number {
    const input = this.#input;
    if (input === null) return Found.nothing;
    switch (this.#step) {
      case Step.head:
        return this.#readHead(input);
      case Step.body: {
        if (this.#remaining === 0) return this.#ended();
        return this.#take(input, this.#remaining);
      }
      case Step.chunks:
        return this.#readChunks(input);
      case Step.untilClose:
        return this.#take(input, Infinity);
      case Step.end:
        return Found.end;
    }
  }

  #ended(): number {
    this.#step = Step.end;
    return Found.end;
  }

  #fail(fault: string): number {
    this.fault = fault;
    this.#input = null;
    return Found.invalid;
  }

  /** Tells of at most `limit` bytes. */
  #take(input: Buffer, limit: number): number {
    const at = this.#at;
    const length = input.length - at;
    if (length === 0) return this.#usedUp();
    if (limit < length) {
      this.piece = input.subarray(at, at + limit);
      this.#at = at + limit;
      this.#remaining = 0;
    } else {
      this.piece = at === 0 ? input : input.subarray(at);
      this.#at = input.length;
      this.#remaining -= length;
    }
    return Found.bytes;
  }

  #usedUp(): number {
    this.#input = null;
    return Found.nothing;
  }

  #readChunks(input: Buffer): number {
    if (this.#remaining > 0) return this.#take(input, this.#remaining);
    const chunks = this.#chunks;
    if (chunks === null) return this.#fail("it has no chunks");
    this.#at = chunks.read(input, this.#at);
    switch (chunks.state) {
      case ChunkState.data:
        this.#remaining = chunks.size;
        return this.#at < input.length ? this.#take(input, this.#remaining) : this.#usedUp();
      case ChunkState.end:
        return this.#ended();
      case ChunkState.invalid:
        return this.#fail("its chunks are malformed");
      default:
        return this.#usedUp();
    }
  }

  #readHead(input: Buffer): number {
    for (;;) {
      const text = this.#headText(input);
      if (text === null) return this.#usedUp();
      if (text === "") return this.#fail(this.fault);
      const head = new ResponseHead(text, this.#requestIsHead);
      if (head.fault !== null) return this.#fail(head.fault);
      if (head.status >= 200) return this.#beginBody(head);
      if (head.status === 101) return this.#fail("it switches to a protocol that was not asked for");
      if (++this.#interim > maxInterimAnswers) return this.#fail("too many interim answers come before it");
      if (this.#at === input.length) return this.#usedUp();
    }
  }

  #beginBody(head: ResponseHead): number {
    this.head = head;
    if (head.body === bodyIsChunked) {
      this.#step = Step.chunks;
      this.#remaining = 0;
      if (this.#chunks === null) this.#chunks = new ChunkFraming();
      else this.#chunks.reset();
    } else if (head.body === bodyEndsWithConnection) {
      this.#step = Step.untilClose;
    } else {
      this.#step = Step.body;
      this.#remaining = head.body;
    }
    return Found.head;
  }

  /** The next head without its empty line, null if its end has not come, "" if it is malformed (see `fault`). */
  #headText(input: Buffer): string | null {
    const at = this.#at;
    if (this.#held === null) {
      const end = input.indexOf("\r\n\r\n", at, "latin1");
      if (end >= 0 && end - at <= maxHeadBytes) {
        this.#at = end + 4;
        return input.toString("latin1", at, end + 2);
      }
      return this.#hold(input, at);
    }
    return this.#hold(input, at);
  }

  /** Adds to a head that came in several packets. Its buffer grows by doubling, so that single bytes do not cost a copy of all. */
  #hold(input: Buffer, at: number): string | null {
    const before = this.#heldLength;
    const taken = Math.min(input.length - at, maxHeadBytes + 4 - before);
    const length = before + taken;
    if (this.#held === null || this.#held.length < length) {
      const grown = Buffer.allocUnsafe(Math.max(1024, length, (this.#held?.length ?? 0) * 2));
      if (this.#held !== null) this.#held.copy(grown, 0, 0, before);
      this.#held = grown;
    }
    const held = this.#held;
    input.copy(held, before, at, at + taken);
    this.#heldLength = length;
    const end = held.subarray(0, length).indexOf("\r\n\r\n", Math.max(0, before - 3), "latin1");
    if (end >= 0) {
      const text = held.toString("latin1", 0, end + 2);
      this.#at = at + end + 4 - before;
      this.#held = null;
      this.#heldLength = 0;
      return text;
    }
    const start = Math.min(length, startOfAnswer.length);
    const malformed = held.compare(startOfAnswer, 0, start, 0, start) !== 0;
    if (!malformed && length < maxHeadBytes + 4) return null;
    this.#held = null;
    this.#heldLength = 0;
    this.fault = malformed
      ? "it does not begin with an HTTP/1 status line"
      : `its head is larger than ${maxHeadBytes} bytes`;
    return "";
  }
}
