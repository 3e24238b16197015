import type { AnswerStream } from "../../dialects/exchange.ts";
import { toGatewayError, type GatewayError } from "../../errors.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import type { AnswerEvents } from "../attempt/answer-events.ts";
import type { Attempt } from "../attempt/attempt.ts";
import { callerErrorOf } from "../attempt/caller-error.ts";
import type { Delivery } from "./delivery.ts";
import { readToEnd } from "./drain.ts";
import { startKeepAlive } from "./keep-alive.ts";
import type { Outcome } from "../outcome.ts";
import { settle } from "../settle.ts";

/** The log has said that a record is missing; the caller is gone, or is told the error that came first. */
const alreadyTold = () => undefined;

/** The beginning of a streamed answer, and the rest of it. */
export interface BegunStream {
  readonly first: Uint8Array;
  readonly events: AnswerEvents<AnswerStream>;
}

/**
 * Streams an answer as fast as the caller takes it: a piece is read from the provider when the last one is gone. The
 * stream ends in exactly one of three ways: to its end, by a fault of the provider's, or by the caller's leaving.
 */
export function deliverStream(delivery: Delivery, { first, events }: BegunStream, attempt: Attempt | null): Response {
  const { services, journey, headers, estimateInput, keep } = delivery;
  const { call, stream } = events;
  const provider = journey.target?.provider;
  let output: ReadableStreamDefaultController<Uint8Array> | null = null;
  let reading: Promise<void> | null = null;
  let left = false;
  let failing: Promise<GatewayError> | null = null;

  const end = (status: Outcome["status"], error: GatewayError | null): Promise<void> => {
    keepAlive.stop();
    call.signal.removeEventListener("abort", onCallEnded);
    journey.cancelled.removeEventListener("abort", onCancelled);
    journey.upstreamMs = services.clock.now() - call.sentAt;
    // A caller who has left before the first byte has been given nothing.
    const observation = status === "cancelled" && journey.firstByteAt === null ? null : stream.observation;
    return settle(services, journey, { status, statusCode: 200, error, observation, estimateInput });
  };

  const fail = (reason: unknown): Promise<GatewayError> => {
    failing ??= (async () => {
      const isFault = reason instanceof UpstreamFault && provider;
      const error = isFault ? callerErrorOf(reason, provider) : toGatewayError(reason);
      if (isFault) attempt?.failed(reason);
      else attempt?.abandoned("cancelled");
      await end("failed", error).catch(alreadyTold);
      return error;
    })();
    return failing;
  };

  // A time limit may pass while the caller takes nothing: the record does not wait for the caller.
  const onCallEnded = () => {
    // The call ends with its caller, and may hear of it first.
    if (journey.callerLeft.aborted) return onCallerLeft();
    if (!reading) void fail(call.signal.reason);
  };
  const onCallerLeft = () => {
    if (left || journey.settled) return;
    left = true;
    attempt?.abandoned("cancelled");
    if (provider?.onCallerAbort === "drain" && journey.firstByteAt !== null && !call.signal.aborted) void drain();
    else {
      end("cancelled", null).catch(alreadyTold);
      call.cancel(new UpstreamFault("cut", "The caller left."));
    }
  };
  // The caller's own deadline ends the call; its leaving may not.
  const onCancelled = () => {
    if (journey.callerLeft.aborted) onCallerLeft();
    else call.cancel(journey.cancelled.reason);
  };
  const drain = async () => {
    keepAlive.stop();
    call.signal.removeEventListener("abort", onCallEnded);
    await reading;
    await readToEnd(services, events);
    await end("cancelled", null).catch(alreadyTold);
  };

  // A connection can be gone before anyone has said so: its stream takes nothing more. That is the caller's leaving too.
  const give = (bytes: Uint8Array): boolean => {
    try {
      output?.enqueue(bytes);
      return true;
    } catch {
      onCallerLeft();
      return false;
    }
  };

  const pull = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    output = controller;
    try {
      keepAlive.waiting();
      const bytes = journey.firstByteAt === null ? first : await events.next();
      keepAlive.resting();
      journey.firstByteAt ??= services.clock.now();
      if (left) return;
      if (bytes) give(bytes);
      else await finish(controller);
    } catch (reason) {
      if (left) return;
      const error = await fail(reason);
      if (give(stream.fail(error, journey.id))) controller.close();
    } finally {
      reading = null;
    }
  };

  const finish = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const terminator = stream.terminator();
    attempt?.succeeded();
    events.release();
    await keep(terminator);
    await end("succeeded", null);
    if (!terminator || give(terminator)) controller.close();
  };

  const keepAlive = startKeepAlive(services, () => void give(stream.keepAlive));
  call.signal.addEventListener("abort", onCallEnded, { once: true });
  journey.cancelled.addEventListener("abort", onCancelled, { once: true });

  const body = new ReadableStream<Uint8Array>(
    { pull: (controller) => (reading = pull(controller)), cancel: onCallerLeft },
    { highWaterMark: 0 },
  );
  return new Response(body, {
    headers: { ...headers, "content-type": stream.contentType, "cache-control": "no-cache" },
  });
}
