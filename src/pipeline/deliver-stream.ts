import type { AnswerStream } from "../dialects/exchange.ts";
import { toGatewayError, type GatewayError } from "../errors.ts";
import { UpstreamFault } from "../upstream/fault.ts";
import type { AnswerEvents } from "./answer-events.ts";
import { callerErrorOf } from "./caller-error.ts";
import type { Delivery } from "./delivery.ts";
import { startKeepAlive } from "./keep-alive.ts";
import type { Outcome } from "./outcome.ts";
import { settle } from "./settle.ts";

/** The log has said that a record is missing; the caller is gone, or is told the error that came first. */
const alreadyTold = () => undefined;

/**
 * Streams an answer as fast as the caller takes it: a piece is read from the provider when the last one is gone. The
 * stream ends in exactly one of three ways: to its end, by a fault of the provider's, or by the caller's leaving.
 */
export function deliverStream(delivery: Delivery, first: Uint8Array, events: AnswerEvents<AnswerStream>): Response {
  const { services, journey, headers, estimateInput, keep } = delivery;
  const { call, stream } = events;
  let output: ReadableStreamDefaultController<Uint8Array> | null = null;
  let reading = false;
  let left = false;
  let failing: Promise<GatewayError> | null = null;

  const end = (status: Outcome["status"], error: GatewayError | null): Promise<void> => {
    keepAlive.stop();
    call.signal.removeEventListener("abort", onCallEnded);
    journey.callerLeft.removeEventListener("abort", onCallerLeft);
    journey.upstreamMs = services.clock.now() - call.sentAt;
    // A caller who has left before the first byte has been given nothing.
    const observation = status === "cancelled" && journey.firstByteAt === null ? null : stream.observation;
    return settle(services, journey, { status, statusCode: 200, error, observation, estimateInput });
  };

  const fail = (reason: unknown): Promise<GatewayError> => {
    failing ??= (async () => {
      const provider = journey.target?.provider;
      const isFault = reason instanceof UpstreamFault && provider;
      const error = isFault ? callerErrorOf(reason, provider) : toGatewayError(reason);
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
    left = true;
    if (journey.settled) return;
    end("cancelled", null).catch(alreadyTold);
    call.cancel(new UpstreamFault("cut", "The caller left."));
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
    reading = true;
    try {
      keepAlive.waiting();
      const bytes = journey.firstByteAt === null ? first : await events.next();
      keepAlive.resting();
      journey.firstByteAt ??= services.clock.now();
      if (bytes) give(bytes);
      else await finish(controller);
    } catch (reason) {
      if (left) return;
      const error = await fail(reason);
      if (give(stream.fail(error, journey.id))) controller.close();
    } finally {
      reading = false;
    }
  };

  const finish = async (controller: ReadableStreamDefaultController<Uint8Array>) => {
    const terminator = stream.terminator();
    await keep(terminator);
    await end("succeeded", null);
    if (!terminator || give(terminator)) controller.close();
    events.release();
  };

  const keepAlive = startKeepAlive(services, () => void give(stream.keepAlive));
  call.signal.addEventListener("abort", onCallEnded, { once: true });
  journey.callerLeft.addEventListener("abort", onCallerLeft, { once: true });

  const body = new ReadableStream<Uint8Array>({ pull, cancel: onCallerLeft }, { highWaterMark: 0 });
  return new Response(body, {
    headers: { ...headers, "content-type": stream.contentType, "cache-control": "no-cache" },
  });
}
