import type { GatewayError } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { EventWriter } from "./event-writer.ts";

/** The two events that a stream breaks off with. `response` is the failed response. */
export function writeBreak(
  writer: EventWriter,
  { type, code, message, param }: GatewayError,
  requestId: string,
  response: JsonObject,
): string {
  return (
    writer.event("error", { error: { type, code, message, param, request_id: requestId } }) +
    writer.event("response.failed", { response })
  );
}
