import type { StreamEvent } from "../../../conversation/stream.ts";
import { parseExactly } from "../../../json/exact-numbers.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../../json/values.ts";
import type { StreamDecoder } from "../../codec.ts";
import { AnswerFault } from "../../exchange.ts";
import { openItemsDecoder } from "./decode-items.ts";
import { factsOf, failOnError, headOf } from "../answer/decode-response.ts";
import { readEventError } from "../errors.ts";
import { decodeFinish } from "../answer/finish.ts";
import { isSearch, readResponsesUsage } from "../usage.ts";

/**
 * Reads a stream of response events (its grammar is in `encode-stream.ts`). It ends with `response.completed` or
 * `response.incomplete`; `response.failed`, an `error` event in either of its forms, and an end without any of them are
 * faults. Events of unknown types report progress only and are ignored.
 */
export function openResponsesStreamDecoder(): StreamDecoder {
  const events: StreamEvent[] = [];
  const items = openItemsDecoder(events);
  let started = false;
  let finished = false;
  let searches = 0;

  const begin = (response: JsonObject) => {
    if (started) return;
    started = true;
    events.push({ type: "response-start", ...headOf(response) });
  };

  const finish = (response: JsonObject) => {
    failOnError(response);
    items.finish(listOrEmpty(response.output).filter(isObject));
    events.push({ type: "finish", candidate: 0, finish: decodeFinish(response, items) });
    const facts = factsOf(response);
    if (facts.serviceTier !== undefined || facts.native !== undefined) events.push({ type: "native", ...facts });
    const usage = readResponsesUsage(response, searches);
    if (usage !== null) events.push({ type: "usage", usage });
    events.push({ type: "response-end" });
    finished = true;
  };

  const read = (event: JsonObject) => {
    const response = isObject(event.response) ? event.response : {};
    switch (event.type) {
      case "error":
      case "response.failed":
        throw new AnswerFault("The provider reported an error within its stream.", errorOf(event, response));
      case "response.created":
      case "response.in_progress":
      case "response.queued":
        return begin(response);
      case "response.completed":
      case "response.incomplete":
        begin(response);
        return finish(response);
      default:
        // Anything else without a type is an error in a form of some other server's.
        if (typeof event.type !== "string" && readEventError(event) !== null) {
          throw new AnswerFault("The provider reported an error within its stream.", readEventError(event));
        }
        begin({});
        if (event.type === "response.output_item.done" && isSearch(event.item)) {
          // Reported at once: a broken answer has no other usage.
          const usage = readResponsesUsage({}, ++searches);
          if (usage !== null) events.push({ type: "usage", usage });
        }
        return items.push(event);
    }
  };

  return {
    push(data) {
      if (finished || data === "" || data === "[DONE]") return [];
      read(parseEvent(data));
      return events.splice(0);
    },
    end() {
      if (!finished) throw new AnswerFault("The provider's stream ended before the answer did.");
      return [];
    },
    get finished() {
      return finished;
    },
  };
}

function errorOf(event: JsonObject, response: JsonObject) {
  return readEventError(event) ?? readEventError(response);
}

function parseEvent(data: string): JsonObject {
  let event: unknown;
  try {
    event = parseExactly(data);
  } catch {
    throw new AnswerFault("The provider's stream holds an event that is not JSON.");
  }
  if (!isObject(event)) throw new AnswerFault("The provider's stream holds an event that is not an object.");
  return event;
}
