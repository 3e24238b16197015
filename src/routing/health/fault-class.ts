import { isCallerFault, type UpstreamFault } from "../../upstream/fault.ts";
import type { FaultClass } from "../names/route.ts";

/** The routing class of a fault. `caller`: the request itself is invalid, so no other candidate is asked. */
export function classOf(fault: UpstreamFault): FaultClass | "caller" {
  if (isCallerFault(fault)) return isTooLong(fault) ? "context_length" : "caller";
  switch (fault.kind) {
    case "unreachable":
      return "unreachable";
    case "reader_stalled":
    case "connect_timeout":
    case "first_byte_timeout":
    case "idle_timeout":
    case "total_timeout":
      return "timeout";
    case "invalid_response":
    case "reported_error":
    case "cut":
      return "invalid_response";
    case "status":
      return classOfStatus(fault.status ?? 0);
  }
}

function classOfStatus(status: number): FaultClass {
  switch (status) {
    case 401:
    case 402:
    case 403:
      return "credential";
    case 404:
      return "not_found";
    case 408:
    case 504:
      return "timeout";
    case 429:
      return "rate_limit";
    case 503:
    case 529:
      return "overloaded";
    default:
      return "server_error";
  }
}

/** Matches OpenAI's error code and the messages of Anthropic, Google and open-source servers. */
const tooLong =
  /context[_ ](length|window|limit|size)|maximum prompt length|(prompt|input) is too long|input token count|maximum number of tokens|too many (input )?tokens/i;

/** Whether the provider rejects the request as too long for the model. */
export function isTooLong({ providerError }: UpstreamFault): boolean {
  return tooLong.test(providerError?.code ?? "") || tooLong.test(providerError?.message ?? "");
}
