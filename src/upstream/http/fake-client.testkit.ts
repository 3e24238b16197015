import type { ExchangeListener, HttpClient, HttpExchange, Origin, ResponseHeaders } from "./exchange.ts";
import type { RequestBody } from "../../http/request-body.ts";

/** A request that a test answers by hand, as a connection would. */
export class FakeExchange implements HttpExchange {
  deadlineAt = Infinity;
  readonly head: string;
  readonly body: RequestBody;
  /** Reports events to the sender; none after its end or its cancellation, like a connection. */
  readonly listener: ExchangeListener;
  isPaused = false;
  isCancelled = false;
  #isOver = false;
  #toldDeadline = Infinity;

  constructor(head: string, body: RequestBody, listener: ExchangeListener) {
    this.head = head;
    this.body = body;
    this.listener = listener;
  }

  get isOver(): boolean {
    return this.#isOver;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }

  cancel(): void {
    this.isCancelled ||= !this.#isOver;
    this.#isOver = true;
  }

  sent(): void {
    if (!this.#isOver) this.listener.onSent();
  }

  answersHead(status = 200, headers: Readonly<Record<string, string>> = {}): void {
    if (!this.#isOver) this.listener.onHead(status, headersOf(headers));
  }

  answers(text: string): void {
    if (!this.#isOver) this.listener.onBytes(new TextEncoder().encode(text));
  }

  ends(): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.listener.onEnd();
  }

  fails(kind: "unreachable" | "cut" | "invalid", code: string | null = null): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.listener.onFailure({ kind, message: `It is ${kind}.`, code });
  }

  /** Tells of a deadline that has passed, once per value. */
  check(now: number): void {
    if (this.#isOver || this.deadlineAt > now || this.deadlineAt === this.#toldDeadline) return;
    this.#toldDeadline = this.deadlineAt;
    this.listener.onDeadline();
  }
}

/** A client whose requests go nowhere, and its clock. */
export class FakeClient implements HttpClient {
  time = 1_000;
  readonly exchanges: FakeExchange[] = [];
  readonly now = () => this.time;

  /** The request sent last. Throws if there is none. */
  get exchange(): FakeExchange {
    const last = this.exchanges.at(-1);
    if (last === undefined) throw new Error("Nothing was sent.");
    return last;
  }

  origin({ url }: { readonly url: string }): Origin {
    const { hostname, port, host } = new URL(url);
    return { protocol: "http:", hostname, port: Number(port || 80), host };
  }

  send(_origin: Origin, head: string, body: RequestBody, listener: ExchangeListener): HttpExchange {
    const exchange = new FakeExchange(head, body, listener);
    this.exchanges.push(exchange);
    return exchange;
  }

  /** Advances time, and reports the limits that it passes. */
  advance(milliseconds: number): void {
    this.time += milliseconds;
    this.check();
  }

  check(): void {
    for (const exchange of this.exchanges) exchange.check(this.time);
  }

  close(): void {}
}

function headersOf(headers: Readonly<Record<string, string>>): ResponseHeaders {
  const known = new Headers(headers);
  return { get: (name) => known.get(name) };
}
