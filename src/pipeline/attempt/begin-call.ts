import type { Exchange, UpstreamRequest } from "../../dialects/exchange.ts";
import type { Candidate } from "../../routing/choice/candidate.ts";
import { type BeginCall, type Call, CallGroup } from "../../upstream/call-group.ts";
import { afterMilliseconds, SteppedCall } from "../../upstream/call-steps.ts";
import { UpstreamCall, type CallListener } from "../../upstream/call.ts";
import type { HeldAnswer } from "../capacity/answer-memory.ts";
import type { Services } from "../services.ts";

/** What a target is asked, and with which credential. */
export interface CallOptions {
  readonly services: Pick<Services, "callTools" | "channels" | "dialects">;
  readonly candidate: Candidate;
  readonly exchange: Exchange;
  /** The place of the credential among those of the provider. */
  readonly credential: number;
}

/** A listener with the memory that its answer takes. */
interface HoldingListener extends CallListener {
  readonly memory: Pick<HeldAnswer, "grow">;
}

/** Begins what an exchange asks of its target: one call, several at once, or several in turn. */
export function beginCall(options: CallOptions, listener: HoldingListener): Call {
  const { request, calls, steps } = options.exchange;
  if (calls !== undefined) {
    const begin: BeginCall = (one, member) => beginOne(options, one, member);
    return new CallGroup(calls, begin, listener, (bytes) => listener.memory.grow(bytes));
  }
  if (steps === undefined) return beginOne(options, request, listener);
  const { now } = options.services.callTools;
  const { totalMs } = options.candidate.target.provider.timeouts;
  const tools = { now, after: afterMilliseconds, totalMs };
  return new SteppedCall(steps, request, (one, step) => beginOne(options, one, step), listener, tools);
}

function beginOne(options: CallOptions, request: UpstreamRequest, listener: CallListener): UpstreamCall {
  const { services, candidate, credential } = options;
  const { provider, health } = candidate.target;
  const own = services.channels.of(provider);
  const channel = request.baseUrl === undefined ? own : own.at(request.baseUrl);
  const { signing } = services.dialects.find(request.dialect);
  const head = channel.head(request, signing, health.provider.apiKeys[credential] ?? null);
  return new UpstreamCall(services.callTools, channel, head, request.body, listener);
}
