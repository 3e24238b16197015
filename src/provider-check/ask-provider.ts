import type { Dialect } from "../dialects/dialect.ts";
import type { UpstreamRequest } from "../dialects/exchange.ts";
import { readErrorAnswer } from "../pipeline/attempt/error-answer.ts";
import { ask } from "../upstream/ask.ts";
import type { CallTools } from "../upstream/call.ts";
import { openChannel } from "../upstream/channel.ts";
import type { Origin } from "../upstream/http/exchange.ts";
import { UpstreamFault } from "../upstream/fault.ts";
import type { Provider, Timeouts } from "../upstream/provider.ts";

/** The result of a call: an answer that could be read, or a fault with the provider's message. */
export type Reading<Answer> = { readonly answer: Answer } | { readonly fault: UpstreamFault };

/** An operator waits for these answers, so that patience is shorter than with callers' requests, in milliseconds. */
const maxWaits: Timeouts = { connectMs: 5_000, firstByteMs: 60_000, idleMs: 30_000, totalMs: 90_000 };

/** The provider that is asked, and with which key. */
export interface Addressee {
  readonly tools: CallTools;
  readonly provider: Provider;
  readonly dialect: Dialect;
  /** Whose connections are used; a new one if not given. */
  readonly origin?: Origin;
  /** Null if the provider takes none. */
  readonly credential: string | null;
}

export interface Question<Answer> {
  readonly request: UpstreamRequest;
  /** Reads the JSON of a good answer; null or a throw if it is not one. */
  readonly read: (answer: unknown) => Answer | null;
}

/** Asks a provider one question. Rejects only if the provider cannot be called at all, such as for a malformed header. */
export async function askProvider<Answer>(
  { tools, provider, dialect, credential, origin }: Addressee,
  { request, read }: Question<Answer>,
): Promise<Reading<Answer>> {
  const patient = { ...provider, timeouts: shortened(provider.timeouts) };
  const channel = origin ? openChannel(tools.client, patient, origin) : openChannel(tools.client, patient);
  const head = channel.head(request, dialect.signing, credential);
  try {
    const { status, header, body } = await ask(tools, channel, head, request.method === "GET" ? null : request.body);
    if (status < 200 || status > 299) {
      return { fault: readErrorAnswer({ status, headers: { get: header } }, [body], dialect, Date.now()) };
    }
    const answer = readWith(read, body);
    return answer === null ? { fault: notAnAnswer(status) } : { answer };
  } catch (error) {
    if (error instanceof UpstreamFault) return { fault: error };
    throw error;
  }
}

function readWith<Answer>(read: (answer: unknown) => Answer | null, body: Uint8Array): Answer | null {
  try {
    return read(JSON.parse(new TextDecoder().decode(body)));
  } catch {
    return null;
  }
}

function notAnAnswer(status: number): UpstreamFault {
  return new UpstreamFault("invalid_response", "The answer is not in the provider's dialect.", { status });
}

function shortened(own: Timeouts): Timeouts {
  return {
    connectMs: Math.min(own.connectMs, maxWaits.connectMs),
    firstByteMs: Math.min(own.firstByteMs, maxWaits.firstByteMs),
    idleMs: Math.min(own.idleMs, maxWaits.idleMs),
    totalMs: Math.min(own.totalMs, maxWaits.totalMs),
  };
}
