import { scanTopLevel, withMembers } from "../../../json/top-level.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { readFields, type SseEvent } from "../../../sse/event.ts";
import type { AnswerContext, DialectCodec } from "../../codec.ts";
import type { PassThroughForm } from "../../exchanges/pass-through.ts";
import { openEventWriter, writeBreak } from "../stream/event-writer.ts";
import { isEnd } from "../../../conversation/stream.ts";
import { responseIdOf } from "./response-object.ts";

/** The fields of a response that echo its request, if the provider was sent other values than the gateway was. */
export interface Echo {
  readonly store: boolean;
  readonly previousResponseId: string | null;
  /** For what is stored, and for a provider whose ids are not this dialect's. */
  readonly fallbackId: string;
}

/**
 * Answers pass through byte for byte, but for what the gateway does in its provider's place: it stores responses and
 * continues them, so `store` and `previous_response_id` are answered as the caller asked for them. One a request.
 */
export function echoing(echo: Echo, codec: DialectCodec, context: AnswerContext): PassThroughForm {
  let opening: SseEvent | null = null;
  let newest: SseEvent | null = null;
  return {
    answerId: (id) => responseIdOf(id, { fallbackId: echo.fallbackId, isStored: echo.store }),
    rewriteWhole: (body) => mendResponse(decoder.decode(body), echo),
    disposition: (_data, events) => (events.some(isEnd) ? "hold" : "pass"),
    rewrite(event, disposition) {
      const mended = mendEvent(event, echo);
      opening ??= mended;
      // The caller has not seen an event that is held.
      if (disposition === "pass") newest = mended;
      return mended.bytes;
    },
    fail(error, requestId) {
      const begun = opening && dataOf(opening).response;
      if (newest === null || !isObject(begun)) {
        return encoder.encode(codec.caller.openStreamEncoder(context).fail(error, requestId));
      }
      const last = dataOf(newest).sequence_number;
      const writer = openEventWriter(typeof last === "number" ? last + 1 : 0);
      const failure = { code: error.code ?? error.type, message: error.message };
      const response = { ...begun, status: "failed", error: failure };
      return encoder.encode(writeBreak(writer, error, requestId, response));
    },
  };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

const mended: ReadonlySet<string> = new Set(["id", "store", "previous_response_id"]);
const holding: ReadonlySet<string> = new Set(["response"]);

/** A response object as JSON text, with the caller's own settings in it. */
function mendResponse(text: string, { store, previousResponseId, fallbackId }: Echo): string {
  const { members } = scanTopLevel(text, mended);
  const idMember = members.find(({ key }) => key === "id");
  const id: unknown = idMember && JSON.parse(text.slice(idMember.valueStart, idMember.valueEnd));
  return withMembers(text, members, {
    id: JSON.stringify(responseIdOf(typeof id === "string" ? id : null, { fallbackId, isStored: store })),
    store: String(store),
    previous_response_id: JSON.stringify(previousResponseId),
  });
}

/** Only the first two events of a stream and its last one hold the response. */
function mendEvent(event: SseEvent, echo: Echo): SseEvent {
  const { buffer, byteOffset, length } = event.bytes;
  if (!Buffer.from(buffer, byteOffset, length).includes('"response"')) return event;
  const { event: name, data } = readFields(event);
  if (data === null) return event;
  const { members } = scanTopLevel(data, holding);
  const [response] = members;
  if (response === undefined || data[response.valueStart] !== "{") return event;
  const mendedResponse = mendResponse(data.slice(response.valueStart, response.valueEnd), echo);
  // A line break of the provider's within its JSON begins another line of data.
  const lines = withMembers(data, members, { response: mendedResponse }).replaceAll("\n", "\ndata: ");
  return { bytes: encoder.encode(`${name === null ? "" : `event: ${name}\n`}data: ${lines}\n\n`) };
}

function dataOf(event: SseEvent): JsonObject {
  const data: unknown = JSON.parse(readFields(event).data ?? "{}");
  return isObject(data) ? data : {};
}
