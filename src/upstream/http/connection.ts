import type { Socket } from "bun";
import { AnswerParser, Found } from "./answer/answer-parser.ts";
import type { ExchangeFailure } from "./exchange.ts";
import { createInflater } from "./answer/inflate.ts";
import { soon } from "../../http/later.ts";
import type { Sweep, Timed } from "../../http/sweep.ts";
import { writeBytes, writeRequest, writeText } from "./request/request-bytes.ts";
import type { ResponseHead } from "./answer/response-head.ts";
import { BodyPump, streamFraming } from "./request/streamed-body.ts";
import type { Carrier, RunningExchange } from "./running-exchange.ts";
import { countBytes, isTurnOver, type TurnTaker, waitForTurn } from "./turn.ts";

/** Receives the events of a connection: the pool of its address. */
export interface ConnectionOwner {
  /** It can carry another exchange. `keepAliveSeconds` is what the provider said; Infinity if it said nothing. */
  released(connection: Connection, keepAliveSeconds: number): void;
  /** It is still being established, and its exchange has been cancelled. */
  orphaned(connection: Connection): void;
  /** It was closed while it carried nothing. */
  closed(connection: Connection): void;
  /** It closed before any answer to a request that may be sent again: the exchange needs another connection. */
  repeat(exchange: RunningExchange): void;
}

/** A pause of so many milliseconds is no longer that of a reader who is merely slower than the provider. */
const lastingPauseMs = 1_000;

/** One connection to a provider, and the exchange it carries at present. */
export class Connection implements Carrier, Timed, TurnTaker {
  /** When what waits behind a pause is packed; it is watched by `pausedIn` until then. */
  deadlineAt = Infinity;
  place = -1;
  private pausedIn: Sweep | null = null;
  exchange: RunningExchange | null;
  /** Null while it is being established, and when it is closed. */
  socket: Socket<Connection> | null = null;
  /** The socket while it is connected to the provider or a proxy, but not yet fit for requests. */
  private raw: Pick<Socket, "close"> | null = null;
  /** Milliseconds of the pool's clock at which it is closed if it is idle. */
  expiresAt = Infinity;
  /** Whether it does not keep the process alive at present. */
  unreferenced = false;
  private readonly owner: ConnectionOwner;
  private readonly parser = new AnswerParser();
  private reused = false;
  private closed = false;
  private closeCode: string | null = null;
  private halfClosed = false;
  private telling = false;
  /** Whether the rest of what has arrived is for a later turn of the event loop. */
  private waitsForTurn = false;
  private socketPaused = false;
  private sentUntold = false;
  private refusal: ExchangeFailure | null = null;
  /** Bytes that the socket would not take yet. */
  private unsent: Uint8Array | null = null;
  /** Writes the rest of a body that is read while it is sent. */
  private pump: BodyPump | null = null;

  constructor(owner: ConnectionOwner, exchange: RunningExchange) {
    this.owner = owner;
    this.exchange = exchange;
    exchange.carrier = this;
  }

  /** Hands over a request. Returns false if the connection turns out to be closed, with nothing written. */
  begin(exchange: RunningExchange): boolean {
    const { socket } = this;
    if (socket === null) return false;
    this.parser.reset(exchange.head.startsWith("HEAD "));
    const { head, body } = exchange;
    const isStream = body !== null && typeof body !== "string" && !(body instanceof Uint8Array);
    const unsent = isStream ? writeText(socket, head + streamFraming(body)) : writeRequest(socket, head, body);
    if (unsent === null) return false;
    this.unsent = unsent.length > 0 ? unsent : null;
    this.exchange = exchange;
    exchange.carrier = this;
    exchange.body = null;
    if (isStream) this.pump = new BodyPump(this, body);
    this.sentUntold = true;
    soon(this);
    if (exchange.paused) this.pause();
    return true;
  }

  /** A socket is connected, but TLS or a proxy are to be dealt with first. */
  establishing(raw: Pick<Socket, "close">): void {
    this.raw = raw;
    if (this.exchange === null) this.close();
  }

  /** The connection stands. */
  opened(socket: Socket<Connection>): void {
    // TLS may shake hands again later.
    if (this.socket !== null || this.closed) return;
    this.raw = null;
    this.socket = socket;
    const { exchange } = this;
    if (exchange === null) this.release(Infinity);
    else if (!this.begin(exchange)) this.failed(unreachable("it closed the connection at once", null));
  }

  /** Fails later, not within the call that asked for a connection. */
  refuse(failure: ExchangeFailure): void {
    this.refusal = failure;
    soon(this);
  }

  /** The exchange, if there is one, ends with a failure, and the connection with it. */
  failed(failure: ExchangeFailure): void {
    const { exchange } = this;
    this.exchange = null;
    this.close();
    exchange?.fail(failure);
  }

  received(bytes: Buffer): void {
    if (this.exchange === null) {
      // A byte that belongs to no answer.
      this.close();
      return;
    }
    if (this.socket === null) return;
    this.parser.give(bytes);
    this.tell();
  }

  /** The provider will send nothing more. */
  peerEnded(): void {
    this.halfClosed = true;
    if (this.exchange === null) this.close();
    else this.tell();
  }

  /** The socket has been closed, by whichever side. */
  socketClosed(code: string | null): void {
    if (this.closed) return;
    this.closeCode = code;
    this.forgetSocket();
    if (this.exchange === null) this.owner.closed(this);
    else this.tell();
  }

  /** An error within the socket, or within what was called when it told something. */
  broke(reason: string, code: string | null): void {
    if (this.closed) return;
    if (this.parser.begun) this.failed({ kind: "cut", message: `The exchange broke off: ${reason}.`, code });
    else this.failed(unreachable(reason, code));
  }

  /** The socket takes bytes again. */
  drained(): void {
    const unsent = this.unsent;
    if (this.socket === null) return;
    if (unsent !== null) {
      const written = this.socket.write(unsent);
      if (written < 0) return;
      this.unsent = written < unsent.length ? unsent.subarray(written) : null;
    }
    if (this.unsent === null) this.pump?.drained();
  }

  write(bytes: Uint8Array): boolean {
    if (this.socket === null) return false;
    if (this.unsent !== null) {
      this.unsent = Buffer.concat([this.unsent, bytes]);
      return false;
    }
    const unsent = writeBytes(this.socket, bytes);
    this.unsent = unsent === null || unsent.length === 0 ? null : unsent;
    return unsent !== null && unsent.length === 0;
  }

  bodySent(): void {
    this.pump = null;
  }

  bodyFailed(reason: string): void {
    this.pump = null;
    this.failed({ kind: "unreachable", message: `The request's body broke off: ${reason}.`, code: "REQUEST_BODY" });
  }

  pause(): void {
    this.pauseSocket();
    if (this.exchange === null) return;
    this.pausedIn = this.exchange.sweep;
    this.pausedIn.watchFor(this, lastingPauseMs);
  }

  resume(): void {
    this.forgetPause();
    soon(this);
  }

  expire(): void {
    this.forgetPause();
    this.parser.pack();
  }

  private forgetPause(): void {
    this.pausedIn?.unwatch(this);
    this.pausedIn = null;
  }

  runLater(): void {
    const { exchange } = this;
    if (this.refusal !== null) this.failed(this.refusal);
    if (exchange === null || exchange.ended) return;
    if (this.sentUntold) {
      this.sentUntold = false;
      exchange.listener.onSent();
    }
    if (exchange.ended || exchange.paused || exchange.congested || this.waitsForTurn) return;
    this.resumeSocket();
    this.tell();
  }

  takeTurn(): void {
    this.waitsForTurn = false;
    try {
      this.runLater();
    } catch (error) {
      // As the socket does of what is thrown within its handlers.
      this.broke(error instanceof Error ? error.message : String(error), null);
    }
  }

  abandon(): void {
    this.exchange = null;
    if (this.socket === null && this.raw === null && !this.closed) this.owner.orphaned(this);
    else this.close();
  }

  close(): void {
    this.parser.forgetInput();
    if (this.closed) return;
    const socket = this.socket ?? this.raw;
    this.forgetSocket();
    socket?.close();
    this.owner.closed(this);
  }

  private forgetSocket(): void {
    this.closed = true;
    this.forgetPause();
    this.socket = null;
    this.raw = null;
    this.unsent = null;
    this.pump?.stop();
    this.pump = null;
  }

  private pauseSocket(): void {
    if (this.socket === null || this.socketPaused) return;
    this.socketPaused = true;
    this.socket.pause();
  }

  private resumeSocket(): void {
    if (!this.socketPaused) return;
    this.socketPaused = false;
    this.socket?.resume();
  }

  /** Tells all that can be told of what has arrived, as long as the turn lasts. */
  private tell(): void {
    if (this.telling || this.waitsForTurn) return;
    this.telling = true;
    try {
      while (!isTurnOver()) if (!this.tellNext()) return;
      this.waitsForTurn = true;
      this.pauseSocket();
      waitForTurn(this);
    } finally {
      this.telling = false;
    }
  }

  /** Returns whether more may follow at once. */
  private tellNext(): boolean {
    const { exchange } = this;
    if (exchange === null || exchange.paused || exchange.congested) return false;
    const parser = this.parser;
    switch (parser.next()) {
      case Found.head:
        if (parser.head !== null) this.begun(exchange, parser.head);
        return true;
      case Found.bytes:
        if (parser.piece === null) return false;
        countBytes(parser.piece.length);
        if (exchange.inflater === null) exchange.listener.onBytes(parser.piece);
        else if (!exchange.inflater.write(parser.piece)) this.pause();
        return true;
      case Found.end:
        this.complete(exchange);
        return false;
      case Found.invalid:
        this.failed(invalid(parser.fault));
        return false;
      default:
        if (this.halfClosed || this.closed) this.endOfInput(exchange);
        return false;
    }
  }

  private begun(exchange: RunningExchange, head: ResponseHead): void {
    if (head.encoding !== null && head.body !== 0) {
      exchange.inflater = createInflater(exchange, head.encoding);
      if (exchange.inflater === null) {
        this.failed(invalid("its Content-Encoding is not known"));
        return;
      }
    }
    exchange.listener.onHead(head.status, head);
  }

  /** The answer is complete: the connection is kept if nothing speaks against it. */
  private complete(exchange: RunningExchange): void {
    const parser = this.parser;
    const { head } = parser;
    this.exchange = null;
    if (exchange.inflater === null) exchange.end();
    else exchange.carrier = null;
    const sent = this.unsent === null && this.pump === null;
    const usable = sent && !this.halfClosed && !this.closed && !parser.hasInput;
    if (usable && head !== null && head.keepAlive) this.release(head.keepAliveSeconds);
    else this.close();
    if (exchange.inflater === null) exchange.listener.onEnd();
    else exchange.inflater.end();
  }

  private release(keepAliveSeconds: number): void {
    this.reused = true;
    this.forgetPause();
    this.resumeSocket();
    this.owner.released(this, keepAliveSeconds);
  }

  /** Nothing more will come. */
  private endOfInput(exchange: RunningExchange): void {
    const parser = this.parser;
    if (parser.mayEndHere && this.closeCode === null) {
      this.complete(exchange);
    } else if (parser.begun) {
      this.failed({ kind: "cut", message: "The provider's answer broke off.", code: this.closeCode });
    } else if (this.reused && exchange.repeatable && !exchange.repeated) {
      this.exchange = null;
      this.close();
      exchange.carrier = null;
      exchange.repeated = true;
      this.owner.repeat(exchange);
    } else {
      this.failed(unreachable("it closed the connection without an answer", this.closeCode));
    }
  }
}

export function unreachable(reason: string, code: string | null): ExchangeFailure {
  return { kind: "unreachable", message: `The provider could not be reached: ${reason}.`, code };
}

export function invalid(fault: string): ExchangeFailure {
  return { kind: "invalid", message: `The provider's answer is malformed: ${fault}.`, code: null };
}
