import { AnswerFault, type EventReader } from "../../dialects/exchange.ts";
import { createSseFramer, EventTooLarge } from "../../sse/framing.ts";
import type { SseEvent } from "../../sse/event.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { SendTools, UpstreamCall } from "../../upstream/send.ts";

/** A provider's streamed answer, turned piece by piece into the caller's bytes. */
export interface AnswerEvents<Reader extends EventReader> {
  readonly stream: Reader;
  readonly call: UpstreamCall;
  /** The next bytes for the caller, null at the end of a good stream. Throws an `UpstreamFault`. */
  next(): Promise<Uint8Array | null>;
  /** The caller has all. What may still follow is read, briefly, so that the connection can serve again. */
  release(): void;
}

/** How long the end of a provider's stream is waited for after its last word. */
const lingerMs = 1_000;

const blankLine = Buffer.from("\n\n");

/** An event that grows beyond this is no event. */
const maxEventBytes = 16 << 20;

export function readAnswerEvents<Reader extends EventReader>(
  call: UpstreamCall,
  stream: Reader,
  tools: SendTools,
): AnswerEvents<Reader> {
  const framer = createSseFramer(maxEventBytes);
  let ended = false;
  let exhausted = false;
  // A fault that came behind good events of the same piece: those are delivered first.
  let heldFault: UpstreamFault | null = null;

  const take = (events: readonly SseEvent[]): Uint8Array | null => {
    const passed: Uint8Array[] = [];
    for (const event of events) {
      if (stream.finished) break;
      try {
        const bytes = stream.push(event);
        if (bytes) passed.push(bytes);
      } catch (error) {
        const fault = asUpstreamFault(error);
        if (passed.length === 0) throw fault;
        heldFault = fault;
        break;
      }
    }
    return joined(passed);
  };

  const end = (): Uint8Array | null => {
    ended = true;
    const rest = framer.rest();
    // Whole but for its blank line, without which it would run into what the gateway says next.
    const last = rest && !stream.finished ? take([{ bytes: Buffer.concat([rest.bytes, blankLine]) }]) : null;
    const closing = stream.end();
    return joined([last, closing].filter((bytes) => bytes !== null));
  };

  return {
    stream,
    call,
    async next() {
      try {
        for (;;) {
          if (heldFault) throw heldFault;
          if (ended) return null;
          const piece = stream.finished ? null : await call.read();
          if (!piece && !stream.finished) exhausted = true;
          const bytes = piece ? take(framer.push(piece)) : end();
          if (stream.started) call.answerBegun();
          if (bytes) return bytes;
        }
      } catch (error) {
        const fault = asUpstreamFault(error);
        call.cancel(fault);
        throw fault;
      }
    },
    release() {
      if (exhausted) return;
      const deadline = tools.deadlines.watch(tools.clock.now() + lingerMs, () => call.cancel(leftovers()));
      void readOut(call).finally(() => tools.deadlines.unwatch(deadline));
    },
  };
}

async function readOut(call: UpstreamCall): Promise<void> {
  try {
    while (await call.read());
  } catch {
    // Nobody waits for what is left; a connection that breaks now is only not used again.
  }
}

function leftovers(): UpstreamFault {
  return new UpstreamFault("cut", "The provider kept its stream open after its last word.");
}

function joined(pieces: readonly Uint8Array[]): Uint8Array | null {
  const [first] = pieces;
  return pieces.length > 1 ? Buffer.concat(pieces) : (first ?? null);
}

/** What a dialect or the framing found wrong, as a fault of the provider's; any other error stays what it is. */
export function asUpstreamFault(error: unknown): UpstreamFault {
  if (error instanceof UpstreamFault) return error;
  if (error instanceof AnswerFault) {
    const kind = error.providerError ? "reported_error" : "invalid_response";
    return new UpstreamFault(kind, error.message, { providerError: error.providerError, cause: error });
  }
  if (error instanceof EventTooLarge) return new UpstreamFault("invalid_response", error.message, { cause: error });
  throw error;
}
