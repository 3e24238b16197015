import type { Clock } from "../clock.ts";
import type { UpstreamRequest } from "../dialects/exchange.ts";
import { startCallTimer, type CallTimer } from "./call-timer.ts";
import type { Deadlines } from "./deadlines.ts";
import { credentialHeader } from "./credential.ts";
import { UpstreamFault } from "./fault.ts";
import type { Provider } from "./provider.ts";

export interface SendTools {
  readonly clock: Clock;
  readonly deadlines: Deadlines;
}

/** One call to a provider whose answer has a head and may still be under way. */
export interface UpstreamCall {
  readonly status: number;
  readonly headers: Headers;
  /** Milliseconds since 1970. */
  readonly sentAt: number;
  /** Aborted with its reason when the call ends early: by a time limit, by the caller, or by `cancel`. */
  readonly signal: AbortSignal;
  /** The next piece of the body, null at its end. Throws an `UpstreamFault`, or the reason of the abort. */
  read(): Promise<Uint8Array | null>;
  /** The whole body. Throws as `read` does, and where it is larger than `maxBytes`. */
  readWhole(maxBytes: number): Promise<Uint8Array>;
  /** From now on pauses are judged as such, no longer as a slow first byte. */
  answerBegun(): void;
  /** Ends the call; harmless where it has ended. */
  cancel(reason: unknown): void;
}

/** One call to be made. */
export interface Sending {
  readonly provider: Provider;
  readonly request: UpstreamRequest;
  /** One of the provider's; null where it wants none. */
  readonly apiKey: string | null;
  /** Ends the call when it is aborted. */
  readonly cancelled: AbortSignal;
  /** Called once when the call has ended, however it ended. */
  readonly onEnded: () => void;
}

/**
 * Sends a request to a provider and waits for the head of its answer, whatever its status.
 * Throws an `UpstreamFault` where none comes, or the reason of `cancelled` where that was aborted.
 */
export async function send(
  { clock, deadlines }: SendTools,
  { provider, request, apiKey, cancelled, onEnded }: Sending,
): Promise<UpstreamCall> {
  if (cancelled.aborted) {
    onEnded();
    throw cancelled.reason;
  }
  const controller = new AbortController();
  const url = provider.baseUrl + request.path;
  const sentAt = clock.now();
  const cancel = (reason: unknown) => {
    stop();
    controller.abort(reason);
  };
  const timer = startCallTimer({ clock, deadlines, timeouts: provider.timeouts, url, onExpired: cancel });
  const onCancelled = () => cancel(cancelled.reason);
  let ended = false;
  const stop = () => {
    if (ended) return;
    ended = true;
    onEnded();
    timer.stop();
    cancelled.removeEventListener("abort", onCancelled);
  };
  cancelled.addEventListener("abort", onCancelled, { once: true });

  let response: Response;
  try {
    response = await fetch(url, {
      method: request.method,
      headers: requestHeaders(provider, request, apiKey),
      body: request.body,
      redirect: "manual",
      signal: controller.signal,
    });
  } catch (error) {
    stop();
    throw controller.signal.aborted ? controller.signal.reason : unreachable(error);
  }
  timer.headArrived();
  return openCall(response, { sentAt, signal: controller.signal, timer, cancel, stop });
}

/** A call whose answer has a head. */
interface Answering {
  readonly sentAt: number;
  readonly signal: AbortSignal;
  readonly timer: CallTimer;
  readonly cancel: (reason: unknown) => void;
  /** Nothing more is to come: lets go of the timer and of who may cancel. */
  readonly stop: () => void;
}

const nothingMore = Promise.resolve(null);

function openCall(response: Response, { sentAt, signal, timer, cancel, stop }: Answering): UpstreamCall {
  const { status, headers } = response;
  let reader: Pick<ReadableStreamDefaultReader<Uint8Array>, "read"> | null = null;

  const failed = (error: unknown): unknown => {
    const reason: unknown = signal.aborted ? signal.reason : brokenOff(error);
    cancel(reason);
    return reason;
  };

  const onPiece = ({ done, value }: Bun.ReadableStreamDefaultReadResult<Uint8Array>): Uint8Array | null => {
    timer.resting();
    if (!done) return value;
    stop();
    return null;
  };
  const onBroken = (error: unknown): never => {
    throw failed(error);
  };
  // Called for every chunk of every stream: one promise, and no function made for it.
  const read = (): Promise<Uint8Array | null> => {
    if (!response.body) return nothingMore;
    reader ??= response.body.getReader();
    timer.waiting();
    return reader.read().then(onPiece, onBroken);
  };

  const readWhole = async (maxBytes: number) => {
    const length = Number(headers.get("content-length") ?? Number.NaN);
    const pieces: Uint8Array[] = [];
    let total = 0;
    for (let piece = await read(); piece; piece = await read()) {
      timer.answerBegun();
      pieces.push(piece);
      total += piece.length;
      if (total > maxBytes) {
        const fault = new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxBytes} bytes.`);
        cancel(fault);
        throw fault;
      }
      // All of it is here: nothing is learned by waiting for its end.
      if (total === length) {
        stop();
        break;
      }
    }
    return pieces.length === 1 && pieces[0] ? pieces[0] : Buffer.concat(pieces);
  };

  return { status, headers, sentAt, signal, read, readWhole, answerBegun: () => timer.answerBegun(), cancel };
}

function requestHeaders(provider: Provider, request: UpstreamRequest, apiKey: string | null): Record<string, string> {
  return {
    // The answer is observed as it passes, so it must not be compressed.
    "accept-encoding": "identity",
    ...provider.headers,
    ...(apiKey === null ? {} : credentialHeader(request.dialect, apiKey)),
    ...request.headers,
  };
}

function unreachable(cause: unknown): UpstreamFault {
  const reason = cause instanceof Error && "code" in cause ? String(cause.code) : "no reason given";
  return new UpstreamFault("unreachable", `The provider could not be reached (${reason}).`, { cause });
}

function brokenOff(cause: unknown): UpstreamFault {
  return new UpstreamFault("cut", "The provider's answer broke off.", { cause });
}
