import { ChunkFraming, ChunkState } from "../http/chunked.ts";
import { bodyIsChunked, carriageReturn, endOfHead, isToken, lineFeed, space } from "../http/syntax.ts";
import type { ServerLimits } from "./limits.ts";
import { maxMethodBytes, RequestHead } from "./request-head.ts";

/** What `RequestParser.next` found. */
export const Found = {
  /** The input is used up; `give` more. */
  nothing: 0,
  /** A head, in `head`. */
  head: 1,
  /** A piece of the body, in `piece`. */
  bytes: 2,
  /** The request is complete. */
  end: 3,
  /** The request is malformed; `fault` says how, and `faultStatus` what to answer. */
  invalid: 4,
} as const;

const enum Step {
  head,
  body,
  chunks,
  end,
}

const firstHeldBytes = 1_024;
/** Chunks below so many bytes are moved byte by byte, which is quicker than a call. */
const smallChunk = 64;

type ParserLimits = Pick<ServerLimits, "maxHeadBytes" | "maxHeaders">;

/** Reads requests from the bytes of one connection, step by step. One object serves a connection for all its requests. */
export class RequestParser {
  head: RequestHead | null = null;
  piece: Buffer | null = null;
  fault = "";
  faultStatus = 400;

  private readonly limits: ParserLimits;
  private step: Step = Step.head;
  private input: Buffer | null = null;
  private at = 0;
  /** The beginning of a head whose end has not come: its bytes are the first `heldLength` of these. */
  private held: Buffer | null = null;
  private heldLength = 0;
  private remaining = 0;
  private chunks: ChunkFraming | null = null;

  constructor(limits: ParserLimits) {
    this.limits = limits;
  }

  /** Prepares for the next request, after `Found.end`. */
  reset(): void {
    this.head = null;
    this.piece = null;
    this.step = Step.head;
    if (!this.hasInput) this.input = null;
  }

  /** Gives bytes that arrived, which the parser may change. What is told as a piece later is part of them, not a copy. */
  give(bytes: Buffer): void {
    if (this.input !== null && this.at < this.input.length) {
      this.input = Buffer.concat([this.input.subarray(this.at), bytes]);
    } else {
      this.input = bytes;
    }
    this.at = 0;
  }

  /** Bytes that have not been asked for. */
  get inputBytes(): number {
    return this.input === null ? 0 : this.input.length - this.at;
  }

  get hasInput(): boolean {
    return this.input !== null && this.at < this.input.length;
  }

  /** Whether a part of a head has come. */
  get isWithinHead(): boolean {
    return this.held !== null;
  }

  /** Bytes of the body that have not come; Infinity if it does not say. */
  get missingBytes(): number {
    if (this.step === Step.chunks) return Infinity;
    return this.step === Step.body ? this.remaining : 0;
  }

  /** The next result: one of `Found`. */
  next(): number {
    switch (this.step) {
      case Step.head:
        return this.input === null ? Found.nothing : this.readHead(this.input);
      case Step.body:
        if (this.remaining === 0) return this.ended();
        return this.input === null ? Found.nothing : this.take(this.input);
      case Step.chunks:
        return this.input === null ? Found.nothing : this.readChunks(this.input);
      case Step.end:
        return Found.end;
    }
  }

  private ended(): number {
    this.step = Step.end;
    return Found.end;
  }

  private fail(fault: string, status = 400): number {
    this.fault = fault;
    this.faultStatus = status;
    this.input = null;
    this.step = Step.end;
    return Found.invalid;
  }

  private take(input: Buffer): number {
    const at = this.at;
    const length = Math.min(input.length - at, this.remaining);
    if (length === 0) return this.usedUp();
    this.piece = input.subarray(at, at + length);
    this.at = at + length;
    this.remaining -= length;
    return Found.bytes;
  }

  private usedUp(): number {
    this.input = null;
    return Found.nothing;
  }

  /** Moves the data of all chunks that have come together, so that many small chunks make one piece. */
  private readChunks(input: Buffer): number {
    const chunks = this.chunks;
    if (chunks === null) return this.fail("it has no chunks");
    if (chunks.state === ChunkState.end) return this.ended();
    const start = this.at;
    let end = start;
    let isEnd = false;
    while (this.at < input.length && !isEnd) {
      if (this.remaining > 0) {
        const length = Math.min(this.remaining, input.length - this.at);
        move(input, end, this.at, length);
        end += length;
        this.at += length;
        this.remaining -= length;
        continue;
      }
      this.at = chunks.read(input, this.at);
      if (chunks.state === ChunkState.invalid) return this.fail("its chunks are malformed");
      if (chunks.state === ChunkState.data) this.remaining = chunks.size;
      isEnd = chunks.state === ChunkState.end;
    }
    if (end > start) {
      this.piece = input.subarray(start, end);
      return Found.bytes;
    }
    return isEnd ? this.ended() : this.usedUp();
  }

  private readHead(input: Buffer): number {
    if (this.at === input.length) return this.usedUp();
    const head = this.headIn(input);
    if (head === null) return this.fault === "" ? this.usedUp() : this.fail(this.fault, this.faultStatus);
    if (head.fault !== null) return this.fail(head.fault, head.faultStatus);
    this.head = head;
    if (head.body === bodyIsChunked) {
      this.step = Step.chunks;
      this.remaining = 0;
      if (this.chunks === null) this.chunks = new ChunkFraming(false);
      else this.chunks.reset();
    } else {
      this.step = Step.body;
      this.remaining = head.body;
    }
    return Found.head;
  }

  /** The next head; null if its end has not come or, with `fault` set, never will. */
  private headIn(input: Buffer): RequestHead | null {
    const { maxHeadBytes, maxHeaders } = this.limits;
    if (this.held !== null) return this.hold(this.held, input, this.at);
    const at = this.at;
    const end = input.indexOf(endOfHead, at);
    if (end < 0 || end - at > maxHeadBytes || input[at] === carriageReturn) {
      return this.hold(Buffer.allocUnsafe(firstHeldBytes), input, at);
    }
    this.at = end + 4;
    return new RequestHead(input, at, end + 2, maxHeaders);
  }

  /** Adds to a head that comes in several packets. Its buffer grows by doubling, so that single bytes do not cost a copy of all. */
  private hold(buffer: Buffer, input: Buffer, at: number): RequestHead | null {
    const { maxHeadBytes, maxHeaders } = this.limits;
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
    // An empty line may come before a request (RFC 9112, section 2.2).
    const start = held[0] === carriageReturn && (length < 2 || held[1] === lineFeed) ? Math.min(length, 2) : 0;
    const end = held.subarray(start, length).indexOf(endOfHead, Math.max(0, before - start - 3)) + start;
    if (end >= start) {
      this.held = null;
      this.heldLength = 0;
      this.at = at + end + 4 - before;
      return new RequestHead(held, start, end + 2, maxHeaders);
    }
    this.checkBeginning(held, start, before, length);
    return null;
  }

  /** Sets `fault` if no more bytes can make a head of what has come. */
  private checkBeginning(held: Buffer, start: number, before: number, length: number): void {
    let at = start;
    while (at < length && isToken[held[at] ?? 0] === 1) at++;
    const isMethod = at - start <= maxMethodBytes && (at === length || (at > start && held[at] === space));
    if (!isMethod) this.fault = "it does not begin with a method";
    for (let index = Math.max(before - 1, start); index < length && this.fault === ""; index++) {
      const byte = held[index];
      if (byte === lineFeed && held[index - 1] !== carriageReturn) this.fault = "a line does not end with CRLF";
    }
    if (this.fault !== "" || length < this.limits.maxHeadBytes + 4) return;
    this.fault = `its head is larger than ${this.limits.maxHeadBytes} bytes`;
    this.faultStatus = 431;
  }
}

/** Moves bytes to the front; what overlaps is kept. */
function move(bytes: Buffer, to: number, from: number, length: number): void {
  if (to === from) return;
  if (length >= smallChunk) bytes.copyWithin(to, from, from + length);
  else for (let index = 0; index < length; index++) bytes[to + index] = bytes[from + index] ?? 0;
}
