import type { SearchableHeaders } from "../http/headers.ts";
import type { AnswerHeaders } from "./answer-head.ts";
import type { RequestHead } from "./request-head.ts";

/** Is told as the body of a request comes. */
export interface BodyReader {
  /** A piece, freed of chunking, never empty. The bytes are the reader's to keep. */
  onBytes(bytes: Uint8Array): void;
  /** The body is complete. Nothing follows. */
  onEnd(): void;
  /** The body will not be complete. Nothing follows, but the request can still be answered unless `onClose` has been called. */
  onFailure(reason: string): void;
}

/** The carrier of an exchange: a connection. */
export interface ExchangeCarrier {
  readBody(reader: BodyReader): void;
  /** Stops telling of the body and reading it, or goes on. */
  holdBody(isHeld: boolean): void;
  respond(status: number, headers: AnswerHeaders, body: string | Uint8Array | null): void;
  startStream(status: number, headers: AnswerHeaders): void;
  limitReader(): void;
  write(bytes: Uint8Array): boolean;
  end(): void;
  destroy(): void;
  /** The address of the caller, or of a proxy before it. */
  readonly remoteAddress: string;
}

/**
 * One request and its answer. It is answered once, by `respond` or by a stream; what is asked of it after its end, or after the
 * caller's leaving, does nothing.
 */
export class ServerExchange {
  readonly method: string;
  /** The path and the query as they were written. */
  readonly target: string;
  readonly headers: SearchableHeaders;
  /** The whole body if it came together with the head, else null: then `readBody` tells it. Empty if there is none. */
  readonly body: Uint8Array | null;
  /** Whether the caller's connection has broken, or it has closed it. */
  isClosed = false;
  /** Called once if the caller leaves before the answer is complete. */
  onClose: (() => void) | null = null;
  /** Called when a stream whose `write` returned false takes more. */
  onDrain: (() => void) | null = null;
  #carrier: ExchangeCarrier | null;

  constructor(head: RequestHead, body: Uint8Array | null, carrier: ExchangeCarrier) {
    this.method = head.method;
    this.target = head.target;
    this.headers = head;
    this.body = body;
    this.#carrier = carrier;
  }

  /** The address of the caller, or of a proxy before it. Empty once the exchange is over. */
  get remoteAddress(): string {
    return this.#carrier?.remoteAddress ?? "";
  }

  /** Reads a body that was not here with its head. Until then its caller is not read. */
  readBody(reader: BodyReader): void {
    this.#carrier?.readBody(reader);
  }

  /** Stops telling of the body, and reading it from its caller. What has been read already waits. */
  pauseBody(): void {
    this.#carrier?.holdBody(true);
  }

  /** Goes on where `pauseBody` stopped. */
  resumeBody(): void {
    this.#carrier?.holdBody(false);
  }

  /** Answers in one piece. The bytes of the body must not be changed later. Throws if a header is malformed. */
  respond(status: number, headers: AnswerHeaders, body: string | Uint8Array | null): void {
    this.#carrier?.respond(status, headers, body);
  }

  /** Begins an answer that is written as it comes. Throws if a header is malformed. */
  startStream(status: number, headers: AnswerHeaders): void {
    this.#carrier?.startStream(status, headers);
  }

  /** Breaks the connection if its caller takes nothing of the stream for too long, which nothing else limits. */
  limitReader(): void {
    this.#carrier?.limitReader();
  }

  /**
   * Adds to a stream what must not be changed later. It is sent before the next turn of the event loop. Returns whether more may
   * follow; if not, `onDrain` is called when it may.
   */
  write(bytes: Uint8Array): boolean {
    return this.#carrier === null || this.#carrier.write(bytes);
  }

  /** Completes a stream. */
  end(): void {
    this.#carrier?.end();
  }

  /** Breaks the connection, so that the caller sees that the answer is not complete. */
  destroy(): void {
    this.#carrier?.destroy();
  }

  /** Called by the connection when the answer is complete, or never will be. */
  detach(): void {
    this.#carrier = null;
    this.onDrain = null;
  }
}
