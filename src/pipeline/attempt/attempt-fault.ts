import type { AnswerFault } from "../../dialects/exchange.ts";
import { classOf } from "../../routing/health/fault-class.ts";
import { UpstreamFault } from "../../upstream/fault.ts";

/** Faults before which nothing was produced: the connection failed, or the provider refused. */
export const freeFaults: ReadonlySet<string> = new Set(["unreachable", "connect_timeout", "status"]);

/** The class of an attempt's fault, for its record; null if it had none. */
export function faultClassOf({ fault }: { readonly fault: UpstreamFault | null }): string | null {
  return fault === null || fault.kind === "reader_stalled" ? null : classOf(fault);
}

/** What is wrong with an answer, as the fault of its call. */
export function faultOfAnswer({ message, providerError, isOutput }: AnswerFault): UpstreamFault {
  const kind = isOutput ? "unusable_output" : providerError === null ? "invalid_response" : "reported_error";
  return new UpstreamFault(kind, message, { providerError });
}
