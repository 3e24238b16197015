import { scanTopLevel, withMembers } from "../../json/top-level.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { readFields, type SseEvent } from "../../sse/event.ts";
import type { AnswerStream, Exchange } from "../exchange.ts";
import { openEventWriter } from "./event-writer.ts";
import { responseIdOf } from "./response-object.ts";
import { writeBreak } from "./write-break.ts";

/** What a response says of its request, where the provider was asked otherwise than the gateway was. */
export interface Echo {
  readonly store: boolean;
  readonly previousResponseId: string | null;
  /** For a provider whose ids are not this dialect's. */
  readonly fallbackId: string;
}

/**
 * An exchange whose answers pass through byte for byte, but for what the gateway does in its provider's place: it stores
 * responses and continues them, so `store` and `previous_response_id` are told as the caller asked for them.
 */
export function withEcho(exchange: Exchange, echo: Echo): Exchange {
  return {
    ...exchange,
    readWhole(body) {
      const { observation } = exchange.readWhole(body);
      const responseId = responseIdOf(observation.responseId, echo);
      return { observation: { ...observation, responseId }, body: mendResponse(decoder.decode(body), echo) };
    },
    openStream: () => echoingStream(exchange.openStream(), echo),
  };
}

const decoder = new TextDecoder();
const encoder = new TextEncoder();

/** What a comment begins with. */
const colon = 0x3a;
/** What the second half of a CRLF is, where the framer cut it off. */
const lineFeed = 0x0a;

const mended: ReadonlySet<string> = new Set(["id", "store", "previous_response_id"]);
const holding: ReadonlySet<string> = new Set(["response"]);

/** A response object as JSON text, with the caller's own settings in it. */
function mendResponse(text: string, { store, previousResponseId, fallbackId }: Echo): string {
  const { members } = scanTopLevel(text, mended);
  const idMember = members.find(({ key }) => key === "id");
  const id: unknown = idMember && JSON.parse(text.slice(idMember.valueStart, idMember.valueEnd));
  return withMembers(text, members, {
    id: JSON.stringify(responseIdOf(typeof id === "string" ? id : null, { fallbackId })),
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

function echoingStream(stream: AnswerStream, echo: Echo): AnswerStream {
  let opening: SseEvent | null = null;
  let newest: SseEvent | null = null;
  return {
    ...stream,
    push(event) {
      const passing = mendEvent(event, echo);
      const bytes = stream.push(passing);
      if (bytes !== null && passing.bytes[0] !== colon && passing.bytes[0] !== lineFeed) {
        opening ??= passing;
        newest = passing;
      }
      return bytes;
    },
    fail(error, requestId) {
      const begun = opening && dataOf(opening).response;
      if (newest === null || !isObject(begun)) return stream.fail(error, requestId);
      const said = dataOf(newest).sequence_number;
      const writer = openEventWriter(typeof said === "number" ? said + 1 : 0);
      const failure = { code: error.code ?? error.type, message: error.message };
      const response = { ...begun, status: "failed", error: failure };
      return encoder.encode(writeBreak(writer, error, requestId, response));
    },
    get started() {
      return stream.started;
    },
    get finished() {
      return stream.finished;
    },
  };
}

function dataOf(event: SseEvent): JsonObject {
  const data: unknown = JSON.parse(readFields(event).data ?? "{}");
  return isObject(data) ? data : {};
}
