import type { Signing } from "../../dialects/dialect.ts";
import { AnswerFault, type UpstreamRequest } from "../../dialects/exchange.ts";
import type { VideoCall } from "../../operations/videos/video.ts";
import { UpstreamCall, type CallListener, type CallTools } from "../../upstream/call.ts";
import type { Channel } from "../../upstream/channel.ts";
import { UpstreamFault } from "../../upstream/fault.ts";
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
/** Of one answer, if its call does not say otherwise: it may repeat the picture that a film began with. */
const usualAnswerBytes = 48 << 20;

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
  const { status, headers, pieces } = await wholeAnswer(way, asked.request, timeoutMs, asked.maxAnswerBytes);
  const body = parsed(pieces);
  if (status >= 200 && status <= 299) {
    if (body === undefined) throw new AnswerFault("The provider's answer is not valid JSON.");
    return asked.read(body);
  }
  const known = asked.ofError?.(body ?? null, status) ?? null;
  if (known !== null) return known;
  throw readErrorAnswer({ status, headers }, pieces, { readError: asked.readError }, way.now());
}

/** Undefined if it is no JSON. */
function parsed(pieces: readonly Uint8Array[]): unknown {
  const text = new TextDecoder().decode(Buffer.concat(pieces));
  if (text.trim() === "") return null;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

type Whole = Pick<UpstreamCall, "status" | "headers"> & { readonly pieces: readonly Uint8Array[] };

/** The whole answer to a request within a time, whatever its status. Rejects with an `UpstreamFault`. */
export function wholeAnswer(
  way: ProviderWay,
  request: UpstreamRequest,
  timeoutMs: number,
  maxAnswerBytes = usualAnswerBytes,
): Promise<Whole> {
  const { promise, resolve, reject } = Promise.withResolvers<Whole>();
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  const call = beginCall(way, request, {
    onHead() {},
    onBytes(piece) {
      call.answerBegun();
      bytes += piece.length;
      pieces.push(Uint8Array.from(piece));
      if (bytes <= maxAnswerBytes) return;
      call.cancel();
      reject(new UpstreamFault("invalid_response", `The provider's answer is larger than ${maxAnswerBytes} bytes.`));
    },
    onEnd: () => resolve({ status: call.status, headers: call.headers, pieces }),
    onFault: reject,
  });
  call.endWithin(timeoutMs);
  return promise;
}
