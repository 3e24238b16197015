import type { RequestBody } from "../../http/request-body.ts";

/** One provider address with its idle connections. Made once per provider at start by `HttpClient.origin`. */
export interface Origin {
  readonly protocol: "http:" | "https:";
  /** Without the brackets of an IPv6 address. */
  readonly hostname: string;
  readonly port: number;
  /** The value of the Host header. */
  readonly host: string;
}

export interface TlsOptions {
  /** Certificate authorities to trust besides the usual ones, PEM. */
  readonly ca?: string;
  /** A client certificate with its chain, PEM. Needs `key`. */
  readonly cert?: string;
  readonly key?: string;
}

export interface OriginOptions {
  /** An http or https URL; its path is ignored. */
  readonly url: string;
  readonly tls?: TlsOptions;
  /** HTTP_PROXY, HTTPS_PROXY and NO_PROXY are read from it, in either case. `process.env` unless given. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
}

/** An HTTP/1.1 client. */
export interface HttpClient {
  /** Prepares calls to one address. Throws an `Error` that names the invalid option. */
  origin(options: OriginOptions): Origin;
  /**
   * Sends a request. `head` is the request line (with an absolute path) and the headers, Host among them, each ended by CRLF,
   * without content-length, transfer-encoding and the empty line. The listener is called synchronously as bytes arrive, and never
   * within `send`, `pause`, `resume` or `cancel`.
   */
  send(origin: Origin, head: string, body: RequestBody, listener: ExchangeListener): HttpExchange;
  /** Looks at all time limits now. It is called every 20 ms by itself; tests that set the clock call it. */
  check(): void;
  /** Closes idle connections. Running exchanges go on, and their connections are closed after them. */
  close(): void;
}

/** One request and its answer. */
export interface HttpExchange {
  /**
   * Milliseconds of `performance.now()` at which `listener.onDeadline()` is called, once per value; Infinity for none. It may be moved
   * at any time, which costs nothing.
   */
  deadlineAt: number;
  /** Stops telling of the answer, and reading from the provider. */
  pause(): void;
  /** Goes on where `pause` stopped. */
  resume(): void;
  /** Ends the exchange: its listener gets no further events, and its connection is closed. No effect if it has ended. */
  cancel(): void;
}

/** Receives the events of one exchange. */
export interface ExchangeListener {
  /** A connection is established (its certificate verified) and has the request. Called again if the request is repeated. */
  onSent(): void;
  /** The head of the final answer. `headers` stays valid. */
  onHead(status: number, headers: ResponseHeaders): void;
  /** A piece of the body, freed of chunking and compression, never empty. The bytes are the listener's to keep. */
  onBytes(bytes: Uint8Array): void;
  /** The body is complete. Nothing follows. */
  onEnd(): void;
  /** The exchange failed. Nothing follows. */
  onFailure(failure: ExchangeFailure): void;
  /** `deadlineAt` has passed. The exchange goes on unless it is cancelled. */
  onDeadline(): void;
}

export interface ExchangeFailure {
  /**
   * - `unreachable`: there was no connection, or it broke before any byte of an answer;
   * - `cut`: it broke within the answer;
   * - `invalid`: the answer is malformed or doubtful.
   */
  readonly kind: "unreachable" | "cut" | "invalid";
  readonly message: string;
  /** The system's error code (`ECONNREFUSED`), if there is one. */
  readonly code: string | null;
}

export interface ResponseHeaders {
  /** The value of a header, its name in any case. Several of one name are joined by ", ". Null if there is none. */
  get(name: string): string | null;
}
