import type { JsonObject } from "../../../json/values.ts";
import type { GatewayError } from "../../../errors.ts";

/** Writes events of one stream, numbered without a gap. */
export interface EventWriter {
  event(type: string, fields: JsonObject): string;
  /** The event that is to end the stream. It does not use up its sequence number: an event in its place has the same one. */
  lastEvent(type: string, fields: JsonObject): string;
  /**
   * A writer of events that differ in their delta: what is the same each time is made into text once. `more` is the
   * text of further members, with a comma before each.
   */
  deltas(type: string, fields: JsonObject): (delta: string, more?: string) => string;
}

export function openEventWriter(first = 0): EventWriter {
  let sequence = first;
  const write = (type: string, fields: JsonObject, number: number) =>
    `event: ${type}\ndata: ${JSON.stringify({ type, ...fields, sequence_number: number })}\n\n`;
  return {
    event: (type, fields) => write(type, fields, sequence++),
    lastEvent: (type, fields) => write(type, fields, sequence),
    deltas(type, fields) {
      const head = `event: ${type}\ndata: ${JSON.stringify({ type, ...fields }).slice(0, -1)},"delta":`;
      return (delta, more = "") => `${head}${JSON.stringify(delta)}${more},"sequence_number":${sequence++}}\n\n`;
    },
  };
}

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
