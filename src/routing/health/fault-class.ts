import { isCallerFault, type UpstreamFault } from "../../upstream/fault.ts";
import type { FaultClass } from "../names/route.ts";

/** A fault as far as it decides. */
export type KnownFault = Pick<UpstreamFault, "kind" | "status"> & Partial<Pick<UpstreamFault, "providerError">>;

/** The routing class of a fault. `caller`: the request itself is invalid, so no other candidate is asked. */
export function classOf(fault: KnownFault): FaultClass | "caller" {
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
    case "unusable_output":
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

/** Statuses from 400 to 499 that tell of the gateway's own standing at the provider, or of the moment. */
const notOfRequest: ReadonlySet<number> = new Set([401, 402, 408, 429]);

/**
 * Whether a fault may lie with its one request, though it is not said so that the caller can be told: a file that is not
 * there (404, or 403 at Google), a tool server of the caller's that fails (424), content that may not be had (451).
 */
export function mayBeOfRequest({ kind, status }: UpstreamFault): boolean {
  return kind === "status" && status !== null && status >= 400 && status <= 499 && !notOfRequest.has(status);
}

/** Whether a fault is about what one request asked for, or what the model wrote for it: to others it says nothing. */
export function isOfOneRequest({ kind, providerError }: UpstreamFault): boolean {
  if (kind === "unusable_output") return true;
  if (kind !== "reported_error" || providerError === null) return false;
  const { type, code } = providerError;
  return (
    ![type, code].some((word) => ofAccount.test(word ?? "")) && [type, code].some((word) => ofInput.test(word ?? ""))
  );
}

/** OpenAI's and Anthropic's types and codes of an invalid request, and Google's, for answers that begin well. */
const ofInput =
  /^(invalid_(?!response)|unsupported_|image_|empty_image|failed_to_download_image|context_length|INVALID_ARGUMENT$|OUT_OF_RANGE$)/;
const ofAccount = /api_?key|authentication|permission|quota|billing|credit/i;

/** Matches OpenAI's error code and the messages of Anthropic, Google and open-source servers. */
const tooLong =
  /context[_ ](length|window|limit|size)|maximum prompt length|(prompt|input) is too long|input token count|maximum number of tokens|too many (input )?tokens/i;

/** Whether the provider rejects the request as too long for the model. */
export function isTooLong({ providerError }: Pick<KnownFault, "providerError">): boolean {
  return tooLong.test(providerError?.code ?? "") || tooLong.test(providerError?.message ?? "");
}
