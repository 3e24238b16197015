import type { Socket } from "bun";
import { soon, type Later } from "../http/later.ts";
import type { Sweep, Timed } from "../http/sweep.ts";
import { answerHead, type AnswerHeaders } from "./answer-head.ts";
import { type BodyReader, type ExchangeCarrier, ServerExchange } from "./exchange.ts";
import { Inflow } from "./inflow.ts";
import type { ServerLimits } from "./limits.ts";
import { Output } from "./output.ts";
import { Found, RequestParser } from "./request-parser.ts";
import type { RequestHead } from "./request-head.ts";

/** What a connection knows of its server. */
export interface ConnectionHost {
  readonly limits: ServerLimits;
  readonly sweep: Sweep;
  /** Whether connections are closed after their present request. */
  readonly isStopping: boolean;
  now(): number;
  /** Answers a request, now or later. */
  handle(exchange: ServerExchange): void;
  /** Is told of what `handle` throws. */
  onError(error: unknown): void;
  closed(connection: Connection): void;
}

/** Requests of one connection that are answered in one turn of the event loop, if their caller does not wait for answers. */
const maxRequestsPerTurn = 32;
/** What is read of a caller that has been answered for the last time. */
const maxLingerBytes = 64 << 20;

const continueLine = "HTTP/1.1 100 Continue\r\n\r\n";
const noBody = Buffer.alloc(0);

/** One caller's connection, and the request that is being answered on it. */
export class Connection implements ExchangeCarrier, Timed, Later {
  deadlineAt = Infinity;
  place = -1;
  private readonly host: ConnectionHost;
  private readonly socket: Socket<Connection>;
  private readonly parser: RequestParser;
  private readonly output: Output;
  private readonly inflow: Inflow;
  private exchange: ServerExchange | null = null;
  private head: RequestHead | null = null;
  private reader: BodyReader | null = null;
  /** What came of a body before anyone read it. */
  private early: Buffer | null = null;
  /** Whether the body of the present request, answered or not, has not all come. */
  private isReading = false;
  /** Whether the reader of the body takes no more of it at present. */
  private isBodyHeld = false;
  /** What was read of the body of a request that has been answered. */
  private discarded = 0;
  private hasBegun = false;
  private isStream = false;
  /** Whether the caller may not stop to take a stream. */
  private isReaderLimited = false;
  /** Whether it is closed after the present answer. */
  private isLast = false;
  private isAdvancing = false;
  private isHalfClosed = false;
  /** Bytes that were read since the last answer was sent; -1 as long as there may be another. */
  private lingered = -1;
  private isClosed = false;
  /** Whether the caller may be sending something that no one reads. */
  private isUnread = false;
  private isScheduled = false;
  private servedInTurn = 0;

  constructor(host: ConnectionHost, socket: Socket<Connection>) {
    this.host = host;
    this.socket = socket;
    this.parser = new RequestParser(host.limits);
    this.output = new Output(socket, host.limits.maxQueuedBytes);
    this.inflow = new Inflow(socket);
    this.limit(host.limits.headMs);
    host.sweep.watch(this);
  }

  get remoteAddress(): string {
    return this.socket.remoteAddress;
  }

  /** Closes it if it waits for a request. */
  closeIfIdle(): void {
    const isBusy = this.exchange !== null || this.isReading || this.parser.isWithinHead || !this.output.isEmpty;
    if (!isBusy && this.lingered < 0) this.endSocket();
  }

  received(bytes: Buffer): void {
    if (this.isClosed) return;
    if (this.lingered >= 0) {
      this.lingered += bytes.length;
      if (this.lingered > maxLingerBytes) this.close();
      return;
    }
    this.servedInTurn = 0;
    this.inflow.received(bytes.length);
    this.parser.give(bytes);
    this.advance();
  }

  /** The caller sends nothing more. It may still read: only a caller that has gone answers what is sent to it with a reset. */
  peerEnded(): void {
    this.isHalfClosed = true;
    if (this.lingered >= 0) this.endSocket();
    else if (this.isReading) this.close();
    else if (this.exchange === null) this.advance();
    else if (this.head?.isOld === false) {
      if (!this.hasBegun) this.output.write(continueLine);
      else this.output.probeStream();
    }
  }

  /** The socket has been closed, by whichever side. */
  socketClosed(): void {
    if (this.isClosed) return;
    this.isClosed = true;
    this.deadlineAt = Infinity;
    this.inflow.close();
    this.host.sweep.unwatch(this);
    this.output.clear();
    this.host.closed(this);
    const { exchange, reader } = this;
    this.exchange = null;
    this.reader = null;
    if (exchange === null) return;
    exchange.isClosed = true;
    exchange.detach();
    reader?.onFailure("The caller closed the connection.");
    exchange.onClose?.();
  }

  /** The socket takes bytes again. */
  drained(): void {
    if (this.isClosed || this.output.isEmpty) return;
    const wasBlocked = this.output.isBlocked;
    this.output.drained();
    if (!wasBlocked) return;
    if (this.exchange === null || this.isReaderLimited) this.limit(this.host.limits.sendIdleMs);
    if (this.output.isBlocked) return;
    if (this.exchange === null) this.advance();
    else {
      if (this.isReaderLimited) this.deadlineAt = Infinity;
      this.exchange.onDrain?.();
    }
  }

  /** One of its time limits has passed. */
  expire(): void {
    const { reader } = this;
    if (this.lingered >= 0 || this.output.isBlocked) this.close();
    else if (reader !== null) {
      this.reader = null;
      this.deadlineAt = Infinity;
      reader.onFailure("The body is late.");
    } else if (this.parser.isWithinHead) this.refuse(408, "the head of the request is late");
    else this.close();
  }

  /** Closes it at once; an answer is cut off. */
  close(): void {
    if (this.isClosed) return;
    this.socket.terminate();
    this.socketClosed();
  }

  readBody(reader: BodyReader): void {
    if (!this.isReading || this.exchange === null) {
      reader.onFailure("The body has been read.");
      return;
    }
    this.reader = reader;
    const { early } = this;
    this.early = null;
    if (early !== null) reader.onBytes(early);
    else if (this.head?.expectsContinue) this.output.write(continueLine);
    if (this.reader === null || this.isBodyHeld) return;
    this.limit(this.host.limits.bodyIdleMs);
    this.inflow.resume();
    this.later();
  }

  holdBody(isHeld: boolean): void {
    if (this.reader === null || this.isBodyHeld === isHeld) return;
    this.isBodyHeld = isHeld;
    // A caller is not late while it is not read.
    this.limit(isHeld ? Infinity : this.host.limits.bodyIdleMs);
    if (isHeld) this.inflow.pause();
    else this.inflow.resume();
    this.later();
  }

  respond(status: number, headers: AnswerHeaders, body: string | Uint8Array | null): void {
    const { head } = this;
    if (head === null || this.hasBegun) return;
    const text = answerHead(status, headers) + this.connectionHeader(head);
    this.hasBegun = true;
    if (status === 204 || status === 304) this.output.write(`${text}\r\n`);
    else this.output.answer(text, body ?? noBody, head.method === "HEAD");
    this.finish();
  }

  startStream(status: number, headers: AnswerHeaders): void {
    const { head } = this;
    if (head === null || this.hasBegun) return;
    let text = answerHead(status, headers);
    const isChunked = !head.isOld && headers["content-length"] === undefined;
    if (isChunked) text += "transfer-encoding: chunked\r\n";
    // The end of a caller's answer that knows no chunks is that of its connection.
    else if (head.isOld) this.isLast = true;
    text += this.connectionHeader(head);
    this.hasBegun = true;
    this.isStream = true;
    this.output.begin(`${text}\r\n`, isChunked);
    this.later();
  }

  write(bytes: Uint8Array): boolean {
    if (!this.isStream) return true;
    this.later();
    // What answers HEAD has no body.
    if (this.head?.method === "HEAD" || this.output.push(bytes)) return true;
    if (this.isReaderLimited && this.output.isBlocked) this.limit(this.host.limits.sendIdleMs);
    return false;
  }

  limitReader(): void {
    this.isReaderLimited = true;
  }

  end(): void {
    if (!this.isStream) return;
    if (this.head?.method === "HEAD") this.output.flush();
    else this.output.finish();
    this.output.flush();
    this.finish();
  }

  destroy(): void {
    const { exchange } = this;
    if (exchange !== null) exchange.onClose = null;
    // A stream of chunks that ends without its last one is cut off for every caller; a reset could take from it what was sent.
    if (this.isStream && this.head?.isOld === false) {
      this.output.flush();
      if (!this.output.isBlocked) {
        this.endSocket();
        return;
      }
    }
    this.close();
  }

  /** Sends what was written in this turn, or goes on with what was received. */
  runLater(): void {
    this.isScheduled = false;
    if (this.isClosed) return;
    this.output.flush();
    this.advance();
  }

  /** Does all that can be done with what was received. */
  private advance(): void {
    if (this.isAdvancing) return;
    this.isAdvancing = true;
    try {
      while (this.advanceOnce());
    } finally {
      this.isAdvancing = false;
    }
  }

  /** Returns whether more may follow at once. */
  private advanceOnce(): boolean {
    if (this.isClosed || this.lingered >= 0) return false;
    if (this.isReading) return this.exchange === null ? this.discard() : this.tellBody(this.exchange);
    if (this.exchange !== null || this.output.isBlocked) {
      if (this.parser.inputBytes > this.host.limits.maxPipelinedBytes) this.inflow.pause();
      return false;
    }
    if (this.isLast) {
      this.lastSent();
      return false;
    }
    return this.beginNext();
  }

  /** Begins the next request, if there is one. */
  private beginNext(): boolean {
    const { parser, host } = this;
    if (this.servedInTurn >= maxRequestsPerTurn && parser.hasInput) {
      this.servedInTurn = 0;
      this.inflow.pause();
      setImmediate(() => this.advance());
      return false;
    }
    const wasWithinHead = parser.isWithinHead;
    switch (parser.next()) {
      case Found.head:
        if (parser.head !== null) this.begin(parser.head);
        return true;
      case Found.invalid:
        this.refuse(parser.faultStatus, parser.fault);
        return false;
      default:
        if (this.isHalfClosed || (host.isStopping && !parser.isWithinHead)) this.finishOutput();
        else {
          if (!wasWithinHead && parser.isWithinHead) this.limit(host.limits.headMs);
          this.inflow.resume();
        }
        return false;
    }
  }

  private begin(head: RequestHead): void {
    const { parser, host } = this;
    this.head = head;
    this.hasBegun = false;
    this.isStream = false;
    this.isReaderLimited = false;
    this.isReading = true;
    this.isBodyHeld = false;
    this.discarded = 0;
    this.isLast = !head.keepAlive || host.isStopping;
    this.deadlineAt = Infinity;
    let body: Buffer | null = null;
    let found = parser.next();
    if (found === Found.bytes) {
      body = parser.piece;
      found = parser.next();
    }
    if (found === Found.invalid) {
      this.refuse(parser.faultStatus, parser.fault);
      return;
    }
    if (found === Found.end) this.readAll();
    else this.early = body;
    const exchange = new ServerExchange(head, found === Found.end ? (body ?? noBody) : null, this);
    this.exchange = exchange;
    this.servedInTurn++;
    try {
      host.handle(exchange);
    } catch (error) {
      host.onError(error);
      if (this.exchange === exchange) this.refuse(500, "the request could not be answered");
      return;
    }
    // Nothing more is taken in than what someone reads.
    if (this.exchange === exchange && this.isReading && this.reader === null) this.inflow.pause();
  }

  private readAll(): void {
    this.isReading = false;
    this.parser.reset();
  }

  /** Tells the reader of the body what has come of it. */
  private tellBody(exchange: ServerExchange): boolean {
    const { parser, reader } = this;
    if (reader === null || this.isBodyHeld) return false;
    switch (parser.next()) {
      case Found.bytes:
        this.limit(this.host.limits.bodyIdleMs);
        if (parser.piece !== null) reader.onBytes(parser.piece);
        return true;
      case Found.end:
        this.readAll();
        this.reader = null;
        this.deadlineAt = Infinity;
        reader.onEnd();
        return true;
      case Found.invalid:
        this.reader = null;
        this.isLast = true;
        reader.onFailure(`The request is malformed: ${parser.fault}.`);
        if (this.exchange === exchange) this.refuse(parser.faultStatus, parser.fault);
        return false;
      default:
        return false;
    }
  }

  /** Reads over the rest of a body that was not wanted. */
  private discard(): boolean {
    const { parser } = this;
    switch (parser.next()) {
      case Found.bytes:
        this.discarded += parser.piece?.length ?? 0;
        if (this.discarded <= this.host.limits.maxDiscardedBytes) return true;
        this.isLast = true;
        this.isUnread = true;
        this.readAll();
        return true;
      case Found.end:
        this.readAll();
        this.limit(this.host.limits.idleMs);
        return true;
      case Found.invalid:
        this.close();
        return false;
      default:
        this.inflow.resume();
        return false;
    }
  }

  /** The answer has been handed over, though its caller may not have taken it all. */
  private finish(): void {
    const { exchange, host } = this;
    this.exchange = null;
    this.reader = null;
    this.early = null;
    this.isStream = false;
    exchange?.detach();
    if (this.isReading && this.isLast) {
      this.isReading = false;
      this.isUnread = true;
    }
    if (this.output.isBlocked) this.limit(host.limits.sendIdleMs);
    else this.limit(host.limits.idleMs);
    // What follows belongs to another call than the handler's.
    const mayFollow =
      this.isLast || this.isReading || this.inflow.isPaused || this.isHalfClosed || this.parser.hasInput;
    if (mayFollow && !this.isAdvancing) this.later();
  }

  /** Says in the answer if the connection is closed after it. */
  private connectionHeader(head: RequestHead): string {
    if (this.host.isStopping) this.isLast = true;
    if (this.isReading) {
      const isShort = this.parser.missingBytes <= this.host.limits.maxDiscardedBytes;
      if (!isShort || head.expectsContinue) this.isLast = true;
    }
    if (this.isLast) return "connection: close\r\n";
    return head.isOld ? "connection: keep-alive\r\n" : "";
  }

  /** Answers a request that is not one, and closes the connection. */
  private refuse(status: number, fault: string): void {
    const { exchange } = this;
    if (this.hasBegun && exchange !== null) {
      this.close();
      return;
    }
    const headers = { "content-type": "text/plain; charset=utf-8", connection: "close" };
    this.output.answer(answerHead(status, headers), `The request was refused: ${fault}.\n`, false);
    this.exchange = null;
    exchange?.detach();
    this.isReading = false;
    this.isUnread = true;
    this.isLast = true;
    if (exchange !== null) {
      exchange.isClosed = true;
      exchange.onClose?.();
    }
    if (!this.output.isBlocked) this.lastSent();
    else this.limit(this.host.limits.sendIdleMs);
  }

  private finishOutput(): void {
    this.isLast = true;
    if (!this.output.isBlocked) this.lastSent();
  }

  /** The last answer has been sent. What its caller still sends is read for a while: a reset could take the answer from it. */
  private lastSent(): void {
    if (this.isHalfClosed || !(this.isUnread || this.parser.hasInput)) {
      this.endSocket();
      return;
    }
    this.lingered = 0;
    this.limit(this.host.limits.lingerMs);
    this.inflow.resume();
    this.socket.shutdown();
  }

  private endSocket(): void {
    this.socket.end();
    this.socketClosed();
  }

  /** Calls `runLater` when the running code has returned. */
  private later(): void {
    if (this.isScheduled) return;
    this.isScheduled = true;
    soon(this);
  }

  private limit(ms: number): void {
    this.deadlineAt = this.host.now() + ms;
  }
}
