import type { BodyCapture } from "../../bodies/body-capture.ts";
import type { AnswerStream } from "../../dialects/exchange.ts";
import { toGatewayError, type GatewayError } from "../../errors.ts";
import type { ServerExchange } from "../../server/exchange.ts";
import type { Deadline } from "../../upstream/deadlines.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";
import type { StreamSink, StreamSource } from "../attempt/target-answer.ts";
import { callerErrorOf } from "../attempt/caller-error.ts";
import type { Answer } from "../answer.ts";
import { answerHeaders, failureAnswer } from "../respond.ts";
import { settle } from "../settle.ts";
import { largeBody } from "./large-body.ts";
import { type Delivery, finished, keepAnswer, settleFailure } from "./delivery.ts";

/** How long the rest of an answer is read for its usage when its caller has left, in milliseconds. */
const maxDrainMs = 30_000;

interface StreamedAnswer {
  readonly stream: AnswerStream;
  readonly source: StreamSource;
}

/** Streams an answer to its caller, and returns null; or returns it in one piece if all of it is here already. */
export function deliverStream(
  delivery: Delivery,
  answer: StreamedAnswer,
  exchange: ServerExchange,
): Promise<Answer> | null {
  const headers = answerHeaders(delivery.services, delivery.progress, delivery.answered.warnings);
  headers["content-type"] = answer.stream.contentType;
  headers["cache-control"] = "no-cache";
  if (answer.stream.headers) Object.assign(headers, answer.stream.headers);
  delivery.progress.context.bodies?.beginStream(answer.stream.contentType);
  if (answer.source.isComplete) return deliverComplete(delivery, answer, headers);
  exchange.startStream(200, headers);
  new StreamDelivery(delivery, answer, exchange).begin();
  return null;
}

async function deliverComplete(
  delivery: Delivery,
  { stream, source }: StreamedAnswer,
  headers: Record<string, string>,
): Promise<Answer> {
  const { services, progress } = delivery;
  const firstByteAt = services.steady.now();
  const { first } = source;
  const terminator = stream.terminator();
  const memory = delivery.answered.attempt?.handOverMemory() ?? null;
  const { bodies } = progress.context;
  bodies?.addPiece(first);
  if (terminator !== null) bodies?.addPiece(terminator);
  try {
    const kept = keepAnswer(delivery, terminator);
    if (kept !== null) await kept;
    await settle(services, finished(delivery, { status: "succeeded", firstByteAt }));
  } catch (thrown) {
    // Nothing has been sent yet.
    const error = toGatewayError(thrown);
    if (!progress.context.isSettled) await settleFailure(delivery, { status: "failed", error, firstByteAt: null });
    memory?.sent();
    return failureAnswer(services, progress, error);
  }
  if (memory !== null) return largeBody(headers, terminator === null ? [first] : [first, terminator], memory);
  return { status: 200, headers, body: terminator === null ? first : Buffer.concat([first, terminator]) };
}

/**
 * `flowing`: pieces go to the caller as they come. `draining`: the caller has left, and the rest is read for its usage.
 * `ending`: the record is being kept. `over`: nothing more is sent.
 */
type State = "flowing" | "draining" | "ending" | "over";

/**
 * A stream on its way to its caller, as fast as the caller takes it. It ends in exactly one of four ways: complete, by a
 * fault of the provider's, by the caller's leaving, or by the caller's own deadline; the last two are charged alike.
 */
class StreamDelivery implements StreamSink {
  readonly #delivery: Delivery;
  readonly #stream: AnswerStream;
  readonly #source: StreamSource;
  readonly #exchange: ServerExchange;
  /** Whether the caller has enough to take. */
  #isFull = false;
  readonly #keepAlive: Deadline | null;
  /** Captures what is sent; null unless it is to be kept. */
  readonly #bodies: BodyCapture | null;
  #state: State = "flowing";
  #firstByteAt: number | null = null;

  constructor(delivery: Delivery, { stream, source }: StreamedAnswer, exchange: ServerExchange) {
    this.#delivery = delivery;
    this.#stream = stream;
    this.#source = source;
    this.#exchange = exchange;
    this.#bodies = delivery.progress.context.bodies;
    this.#keepAlive = this.#watchSilence();
  }

  begin(): void {
    const { context } = this.#delivery.progress;
    context.onCancel = () => this.#onCancelled();
    this.#exchange.onDrain = () => {
      this.#isFull = false;
      this.#source.resume();
    };
    if (context.isCancelled) this.#onCancelled();
    else {
      this.onBytes(this.#source.first);
      this.#source.attach(this);
    }
  }

  onBytes(bytes: Uint8Array): void {
    if (this.#state !== "flowing" || bytes.length === 0) return;
    const { services } = this.#delivery;
    const now = services.steady.now();
    this.#firstByteAt ??= now;
    if (this.#keepAlive !== null) this.#keepAlive.at = now + services.keepAliveMs;
    this.#give(bytes);
    if (this.#isFull) this.#source.pause();
  }

  onFinished(): void {
    if (this.#state === "draining") {
      this.#leave();
      return;
    }
    if (this.#state !== "flowing") return;
    this.#end();
    this.#complete().catch((error: unknown) => this.#breakOff(toGatewayError(error)));
  }

  onFault(fault: UpstreamFault): void {
    if (this.#state === "draining" || (this.#state === "flowing" && fault.kind === "reader_stalled")) {
      this.#leave();
      return;
    }
    if (this.#state !== "flowing") return;
    const { target } = this.#delivery.answered;
    this.#end();
    this.#breakOff(target ? callerErrorOf(fault, target.provider) : toGatewayError(fault));
  }

  onError(error: GatewayError): void {
    if (this.#state === "draining") this.#leave();
    if (this.#state !== "flowing") return;
    this.#end();
    this.#breakOff(error);
  }

  async #complete(): Promise<void> {
    const terminator = this.#stream.terminator();
    const kept = keepAnswer(this.#delivery, terminator);
    if (kept !== null) await kept;
    await settle(
      this.#delivery.services,
      finished(this.#delivery, { status: "succeeded", firstByteAt: this.#firstByteAt }),
    );
    if (terminator !== null) this.#give(terminator);
    this.#close();
  }

  /** The caller gets an error event once the record is durable. */
  #breakOff(error: GatewayError): void {
    const tell = () => this.#giveFailure(error);
    if (this.#delivery.progress.context.isSettled) {
      tell();
      return;
    }
    const end = { status: "failed", statusCode: 200, error, firstByteAt: this.#firstByteAt } as const;
    void settleFailure(this.#delivery, end).then(tell);
  }

  #onCancelled(): void {
    const { context } = this.#delivery.progress;
    if (context.isCallerGone) this.#onCallerLeft();
    else this.#onDeadline(toGatewayError(context.cancelReason));
  }

  #onCallerLeft(): void {
    this.#delivery.progress.context.isCallerGone = true;
    if (this.#state !== "flowing") return;
    const { target } = this.#delivery.answered;
    if (target?.provider.onCallerAbort === "drain" && this.#firstByteAt !== null) {
      this.#stopKeepAlive();
      this.#state = "draining";
      this.#source.drain(maxDrainMs);
      return;
    }
    this.#source.abandon("cancelled");
    this.#leave();
  }

  /** The caller's own deadline: output produced until then is charged, as for a caller that disconnects. */
  #onDeadline(error: GatewayError): void {
    if (this.#state !== "flowing") return;
    this.#end();
    this.#source.abandon("cancelled");
    void this.#settleCancelled(error).then(() => this.#giveFailure(error));
  }

  /** The caller has disconnected. */
  #leave(): void {
    this.#stopKeepAlive();
    this.#state = "over";
    void this.#settleCancelled(null);
    this.#exchange.destroy();
  }

  /** A caller that received nothing is charged nothing. */
  #settleCancelled(error: GatewayError | null): Promise<void> {
    const firstByteAt = this.#firstByteAt;
    const observation = firstByteAt === null ? null : this.#stream.observation;
    const end = { status: "cancelled", statusCode: 200, error, observation, firstByteAt } as const;
    return settleFailure(this.#delivery, end);
  }

  #end(): void {
    this.#stopKeepAlive();
    this.#state = "ending";
  }

  #give(bytes: Uint8Array): void {
    if (this.#bodies !== null) this.#bodies.addPiece(bytes);
    if (!this.#exchange.write(bytes)) this.#isFull = true;
  }

  #giveFailure(error: GatewayError): void {
    const failure = this.#stream.fail(error, this.#delivery.progress.context.id);
    if (failure === null) {
      this.#state = "over";
      this.#exchange.destroy();
      return;
    }
    this.#give(failure);
    this.#close();
  }

  #close(): void {
    this.#state = "over";
    this.#exchange.end();
  }

  #watchSilence(): Deadline | null {
    const { keepAlive } = this.#stream;
    if (keepAlive === null) return null;
    const { deadlines, keepAliveMs, steady } = this.#delivery.services;
    const speak = () => {
      if (this.#state !== "flowing") return;
      if (!this.#isFull) this.#give(keepAlive);
      deadlines.rewatch(deadline, steady.now() + keepAliveMs, speak);
    };
    const deadline = deadlines.watch(steady.now() + keepAliveMs, speak);
    return deadline;
  }

  #stopKeepAlive(): void {
    if (this.#keepAlive !== null) this.#delivery.services.deadlines.unwatch(this.#keepAlive);
  }
}
