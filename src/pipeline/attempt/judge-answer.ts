import type { Call } from "../../upstream/call-group.ts";
import { UpstreamCall } from "../../upstream/call.ts";
import type { UpstreamFault } from "../../upstream/fault.ts";

/** Whether a provider may have done what it was asked for, although the call failed. */
export function mayHaveBeenDone({ kind, status }: UpstreamFault, call: Call | null): boolean {
  if (kind === "status") return status === 408 || status === 504;
  if (kind !== "unreachable" && kind !== "connect_timeout") return true;
  return call instanceof UpstreamCall && call.isSent;
}

/** A provider may ignore what was asked; its content type decides. An unknown one is read as what was asked for. */
export function isStream(contentType: string, wantsStream: boolean): boolean {
  if (contentType === "application/json") return false;
  if (contentType.startsWith("text/event-stream")) return true;
  return !/^application\/([\w.-]+\+)?json\b/.test(contentType) && wantsStream;
}
