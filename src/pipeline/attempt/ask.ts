import type { AnswerStream, Exchange, WholeAnswer } from "../../dialects/exchange.ts";
import type { Provider } from "../../upstream/provider.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { send, type UpstreamCall } from "../../upstream/send.ts";
import { readAnswerEvents, type AnswerEvents } from "./answer-events.ts";
import type { Attempt } from "./attempt.ts";
import { readFault } from "./read-fault.ts";
import type { Services } from "../services.ts";

/** A target has answered: all of it, or the beginning of a stream that holds at least one event. */
export type TargetAnswer =
  | { readonly kind: "whole"; readonly answer: WholeAnswer }
  | { readonly kind: "stream"; readonly first: Uint8Array; readonly events: AnswerEvents<AnswerStream> };

/** What is asked of whom, and how its answer is read. */
export interface Question {
  readonly exchange: Exchange;
  readonly provider: Provider;
  readonly apiKey: string | null;
  readonly wantsStream: boolean;
  /** Ends the call when it is aborted. */
  readonly cancelled: AbortSignal;
}

const nothingMore = Promise.resolve(null);

/** A whole answer beyond this is not read to its end. */
const maxAnswerBytes = 256 << 20;

/**
 * Asks one target. A stream is waited for until the answer itself has begun, so that a provider that fails before is an
 * ordinary fault. Throws an `UpstreamFault`, or the reason of `cancelled`.
 */
export async function ask(services: Services, question: Question, attempt: Attempt): Promise<TargetAnswer> {
  const { exchange, provider, apiKey, wantsStream, cancelled } = question;
  const call = await send(services, {
    provider,
    request: exchange.request,
    apiKey,
    cancelled,
    onEnded: attempt.callEnded,
  });
  attempt.headArrived(call.status);
  if (call.status < 200 || call.status > 299) throw await readFault(call, exchange, services.clock.now());
  const streams = isStream(call, wantsStream);
  if (!wantsStream) {
    const answer = streams
      ? await collect(services, call, exchange)
      : exchange.readWhole(await call.readWhole(maxAnswerBytes));
    return { kind: "whole", answer };
  }
  if (!streams) {
    const { bytes, stream } = exchange.wholeAsStream(await call.readWhole(maxAnswerBytes));
    return { kind: "stream", first: bytes, events: { stream, call, next: () => nothingMore, release() {} } };
  }
  const events = readAnswerEvents(call, exchange.openStream(), services);
  return { kind: "stream", first: await firstBytes(events), events };
}

/** A provider may ignore what was asked; its content type tells. An unknown one is read as what was asked for. */
function isStream(call: UpstreamCall, wantsStream: boolean): boolean {
  const type = call.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return true;
  if (/^application\/([\w.-]+\+)?json\b/.test(type)) return false;
  return wantsStream;
}

async function firstBytes(events: AnswerEvents<AnswerStream>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  while (!events.stream.started) {
    const bytes = await events.next();
    if (!bytes) {
      events.release();
      throw new UpstreamFault("invalid_response", "The provider's stream ended without an event.");
    }
    // Comments before the first event say nothing that a caller needs; a bound keeps an endless run of them harmless.
    if (pieces.length < 16) pieces.push(bytes);
  }
  return Buffer.concat(pieces);
}

/** The same call, which fails when its answer grows beyond what is kept of a whole one. */
function bounded(call: UpstreamCall): UpstreamCall {
  let total = 0;
  return {
    ...call,
    async read() {
      const piece = await call.read();
      total += piece?.length ?? 0;
      if (total <= maxAnswerBytes) return piece;
      throw new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxAnswerBytes} bytes.`);
    },
  };
}

async function collect(services: Services, call: UpstreamCall, exchange: Exchange): Promise<WholeAnswer> {
  const collector = exchange.openCollector();
  const events = readAnswerEvents(bounded(call), collector, services);
  while (await events.next());
  events.release();
  return collector.answer();
}
