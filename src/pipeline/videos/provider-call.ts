import type { Signing } from "../../dialects/dialect.ts";
import { AnswerFault, type UpstreamRequest } from "../../dialects/exchange.ts";
import { checkStructure } from "../../dialects/exchanges/bounded-json.ts";
import { CopiedBytes } from "../../http/copied-bytes.ts";
import type { VideoCall } from "../../operations/videos/video.ts";
import { UpstreamCall, type CallListener, type CallTools } from "../../upstream/call.ts";
import type { Channel } from "../../upstream/channel.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
import { createSemaphore } from "../../upstream/semaphore.ts";
import { readErrorAnswer } from "../attempt/error-answer.ts";

/** How one provider is asked, in one dialect and with one credential. */
export interface ProviderWay {
  readonly tools: CallTools;
  readonly channel: Channel;
  readonly signing: Signing;
  readonly apiKey: string | null;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** Calls that one question may take. */
const maxCalls = 4;
/** Of one answer, if its call does not say otherwise. */
const usualAnswerBytes = 4 << 20;
const maxErrorBytes = 1 << 20;
/** Larger answers are read a few at a time, since many jobs are asked for at once. */
const smallAnswerBytes = 4 << 20;
const largeAnswers = createSemaphore(2, 1_000);

/** Begins a call to a provider. */
export function beginCall(way: ProviderWay, request: UpstreamRequest, listener: CallListener): UpstreamCall {
  const channel = request.baseUrl === undefined ? way.channel : way.channel.at(request.baseUrl);
  const head = channel.head(request, way.signing, way.apiKey);
  return new UpstreamCall(way.tools, channel, head, request.body, listener);
}

/** Asks a provider until it has answered, each call within a time. Rejects with an `UpstreamFault` or an `AnswerFault`. */
export async function askProvider<Result>(
  way: ProviderWay,
  first: VideoCall<Result>,
  timeoutMs: number,
): Promise<Result> {
  let call = first;
  for (let calls = 0; calls < maxCalls; calls++) {
    const result = await askOnce(way, call, timeoutMs);
    if (!isCall(result)) return result;
    call = result;
  }
  throw new AnswerFault("The provider was asked too often for one answer.");
}

function isCall<Result>(result: Result | VideoCall<Result>): result is VideoCall<Result> {
  return typeof result === "object" && result !== null && "request" in result && "read" in result;
}

async function askOnce<Result>(
  way: ProviderWay,
  asked: VideoCall<Result>,
  timeoutMs: number,
): Promise<Result | VideoCall<Result>> {
  const { status, headers, bytes } = await wholeAnswer(way, asked.request, timeoutMs, asked.maxAnswerBytes);
  const body = parsed(bytes);
  if (status >= 200 && status <= 299) {
    if (body === undefined) throw new AnswerFault("The provider's answer is not valid JSON.");
    return asked.read(body);
  }
  const known = asked.ofError?.(body ?? null, status) ?? null;
  if (known !== null) return known;
  throw readErrorAnswer({ status, headers }, [bytes], { readError: asked.readError }, way.now());
}

/** Undefined if it is no JSON. Throws an `AnswerFault` if it would block other requests while it is parsed. */
function parsed(bytes: Uint8Array): unknown {
  checkStructure(bytes);
  const text = new TextDecoder().decode(bytes);
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Whole = Pick<UpstreamCall, "status" | "headers"> & { readonly bytes: Uint8Array };

/** The whole answer to a request within a time, whatever its status. Rejects with an `UpstreamFault`. */
export async function wholeAnswer(
  way: ProviderWay,
  request: UpstreamRequest,
  timeoutMs: number,
  maxAnswerBytes = usualAnswerBytes,
): Promise<Whole> {
  const { promise, resolve, reject } = Promise.withResolvers<undefined>();
  const collected = new CopiedBytes();
  let isLarge = false;
  const call = beginCall(way, request, {
    onHead() {},
    onBytes(piece) {
      call.answerBegun();
      collected.push(piece);
      const isGood = call.status >= 200 && call.status <= 299;
      const maxBytes = isGood ? maxAnswerBytes : Math.min(maxAnswerBytes, maxErrorBytes);
      if (collected.length > maxBytes) {
        call.cancel();
        reject(new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxBytes} bytes.`));
      } else if (collected.length > smallAnswerBytes && !isLarge) {
        isLarge = true;
        call.pause();
        const ended = promise.then(nothing, nothing);
        largeAnswers.run(() => (call.resume(), ended)).catch(reject);
      }
    },
    onEnd: () => resolve(undefined),
    onFault: reject,
  });
  call.endWithin(timeoutMs);
  await promise;
  return { status: call.status, headers: call.headers, bytes: await collected.joinedInSteps() };
}

const nothing = () => {};
