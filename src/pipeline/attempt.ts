import type { AnswerStream, Exchange, WholeAnswer } from "../dialects/exchange.ts";
import type { Model, Target } from "../routing/model.ts";
import { isCallerFault, UpstreamFault } from "../upstream/fault.ts";
import { send, type UpstreamCall } from "../upstream/send.ts";
import { asUpstreamFault, readAnswerEvents, type AnswerEvents } from "./answer-events.ts";
import { callerError, type FailedAttempt } from "./caller-error.ts";
import type { Endpoint, EndpointInput } from "./endpoint.ts";
import type { Journey } from "./journey.ts";
import { readFault } from "./read-fault.ts";
import type { Services } from "./services.ts";

/** A target has answered: all of it, or the beginning of a stream that holds at least one event. */
export type Answered =
  | { readonly kind: "whole"; readonly warnings: readonly string[]; readonly answer: WholeAnswer }
  | {
      readonly kind: "stream";
      readonly warnings: readonly string[];
      readonly first: Uint8Array;
      readonly events: AnswerEvents<AnswerStream>;
    };

const nothingMore = Promise.resolve(null);

/** A whole answer beyond this is not read to its end. */
const maxAnswerBytes = 256 << 20;

/**
 * Calls the model's targets in order until one answers. Nothing has been sent to the caller yet, so any fault of a
 * target's leads to the next one; a fault of the request's ends it. Throws the caller's error where none answers.
 */
export async function attempt<Input extends EndpointInput>(
  services: Services,
  journey: Journey,
  endpoint: Endpoint<Input>,
  input: Input,
  model: Model,
): Promise<Answered> {
  const failed: FailedAttempt[] = [];
  for (const target of model.targets) {
    const exchange = await endpoint.exchange(input, target, model, services);
    if (!exchange) continue;
    journey.target = target;
    journey.providerDialect = exchange.request.dialect;
    journey.attempts++;
    try {
      return await ask(services, journey, exchange, target, input.stream);
    } catch (error) {
      // The caller has left: nobody waits for another target.
      if (journey.callerLeft.aborted) throw error;
      const fault = asUpstreamFault(error);
      failed.push({ provider: target.provider, fault });
      services.log.debug({ request_id: journey.id, provider: target.provider.id, fault: fault.kind }, fault.message);
      if (isCallerFault(fault)) break;
    }
  }
  if (endpoint.answerAlone && !failed.some(({ fault }) => isCallerFault(fault))) {
    journey.target = null;
    journey.providerDialect = null;
    return { kind: "whole", warnings: [], answer: await endpoint.answerAlone(input) };
  }
  throw callerError(failed);
}

async function ask(
  services: Services,
  journey: Journey,
  exchange: Exchange,
  target: Target,
  wantsStream: boolean,
): Promise<Answered> {
  const call = await send(services, {
    provider: target.provider,
    request: exchange.request,
    apiKey: target.provider.apiKeys[0] ?? null,
    cancelled: journey.callerLeft,
    onEnded: () => {},
  });
  if (call.status < 200 || call.status > 299) throw await readFault(call, exchange, services.clock.now());
  const streams = isStream(call, wantsStream);
  const { warnings } = exchange;
  if (!wantsStream) {
    const answer = streams
      ? await collect(services, call, exchange)
      : exchange.readWhole(await call.readWhole(maxAnswerBytes));
    journey.upstreamMs = services.clock.now() - call.sentAt;
    return { kind: "whole", warnings, answer };
  }
  if (!streams) {
    const { bytes, stream } = exchange.wholeAsStream(await call.readWhole(maxAnswerBytes));
    return { kind: "stream", warnings, first: bytes, events: { stream, call, next: () => nothingMore, release() {} } };
  }
  const events = readAnswerEvents(call, exchange.openStream(), services);
  return { kind: "stream", warnings, first: await firstBytes(events), events };
}

/** A provider may ignore what was asked; its content type tells. An unknown one is read as what was asked for. */
function isStream(call: UpstreamCall, wantsStream: boolean): boolean {
  const type = call.headers.get("content-type") ?? "";
  if (type.startsWith("text/event-stream")) return true;
  if (/^application\/([\w.-]+\+)?json\b/.test(type)) return false;
  return wantsStream;
}

/** Waits until the answer itself has begun, so that a provider that fails before is an ordinary error. */
async function firstBytes(events: AnswerEvents<AnswerStream>): Promise<Uint8Array> {
  const pieces: Uint8Array[] = [];
  while (!events.stream.started) {
    const bytes = await events.next();
    if (!bytes) throw new UpstreamFault("invalid_response", "The provider's stream ended without an event.");
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
