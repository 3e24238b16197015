import type { Part } from "../../../conversation/parts.ts";
import type { Finish } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { asObserved } from "../../../conversation/usage.ts";
import { parseExactly } from "../../../json/exact-numbers.ts";
import { isObject, stringOrNull, type JsonObject } from "../../../json/values.ts";
import type { StreamDecoder } from "../../codec.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeCitation } from "./citations.ts";
import { decodeAnswerBlock, nativeFields, serviceTierOf } from "./decode-response.ts";
import { readMessagesError } from "../errors.ts";
import { decodeStopReason } from "./finish-reason.ts";
import { readCount } from "../../fields/read-count.ts";
import { joinUsage, readMessagesUsage } from "../usage.ts";

/** A block that is being read. One that is carried whole is held until it ends. */
interface OpenBlock {
  /** Null until the part is started: at once, or with its first text if it might stay empty. */
  index: number | null;
  readonly part: Part;
  input: string;
}

/**
 * Reads a stream of Messages events: message_start block* message_delta message_stop, where a block is
 * content_block_start content_block_delta* content_block_stop, one at a time; `ping` and unknown events anywhere.
 */
export function openMessagesStreamDecoder(): StreamDecoder {
  const blocks = new Map<unknown, OpenBlock>();
  let partCount = 0;
  let usage: JsonObject = {};
  let searches = 0;
  let started = false;
  let finish: Finish | null = null;
  let done = false;

  const startPart = (block: OpenBlock, part: Part, events: StreamEvent[]): number => {
    block.index ??= partCount++;
    events.push({ type: "part-start", candidate: 0, index: block.index, part });
    return block.index;
  };

  const openBlock = (event: JsonObject, events: StreamEvent[]) => {
    const content = isObject(event.content_block) ? event.content_block : {};
    // Text may begin empty, and then is a part only if more comes.
    const [part = { type: "text", text: "" } as const] = decodeAnswerBlock(content);
    const block: OpenBlock = { index: null, part, input: "" };
    blocks.set(event.index, block);
    if (content.type === "web_search_tool_result" && Array.isArray(content.content)) {
      // Reported at once: a broken answer has no other usage.
      searches++;
      pushUsage({}, false, events);
    }
    if (part.type === "tool-call") {
      const begun = part.input === "{}" ? "" : part.input;
      block.input = begun;
      startPart(block, { ...part, input: begun }, events);
    } else if (part.type === "reasoning" || (part.type === "text" && part.text !== "")) startPart(block, part, events);
  };

  const addToBlock = (event: JsonObject, events: StreamEvent[]) => {
    const block = blocks.get(event.index);
    const { delta } = event;
    if (block === undefined || !isObject(delta)) return;
    switch (delta.type) {
      case "text_delta":
      case "thinking_delta": {
        const text = stringOrNull(delta.text) ?? stringOrNull(delta.thinking) ?? "";
        if (text === "") return;
        const index = block.index ?? startPart(block, block.part, events);
        events.push({ type: "text-delta", candidate: 0, index, text });
        return;
      }
      case "input_json_delta": {
        const input = stringOrNull(delta.partial_json) ?? "";
        block.input += input;
        if (input !== "" && block.part.type === "tool-call" && block.index !== null) {
          events.push({ type: "input-delta", candidate: 0, index: block.index, input });
        }
        return;
      }
      case "signature_delta": {
        const value = stringOrNull(delta.signature) ?? "";
        if (value === "" || block.index === null) return;
        const signature = { vendor: "anthropic", value } as const;
        events.push({ type: "signature-delta", candidate: 0, index: block.index, signature });
        return;
      }
      case "citations_delta": {
        if (!isObject(delta.citation)) return;
        const index = block.index ?? startPart(block, block.part, events);
        events.push({ type: "citation-delta", candidate: 0, index, citation: decodeCitation(delta.citation) });
        return;
      }
      default:
    }
  };

  const closeBlock = (key: unknown, events: StreamEvent[]) => {
    const block = blocks.get(key);
    if (block === undefined) return;
    blocks.delete(key);
    const { part } = block;
    if (part.type === "native") startPart(block, { ...part, value: withInput(part.value, block.input) }, events);
    if (block.index === null) return;
    // A tool without arguments streams none, and means an empty object.
    if (part.type === "tool-call" && block.input === "") {
      events.push({ type: "input-delta", candidate: 0, index: block.index, input: "{}" });
    }
    events.push({ type: "part-end", candidate: 0, index: block.index });
  };

  const pushUsage = (newer: unknown, isFinal: boolean, events: StreamEvent[]) => {
    if (!isObject(newer)) return;
    usage = joinUsage(usage, newer);
    // Until the message ends, the count of its output is preliminary, mostly 1. It stays so if the end says none, or 0.
    const saysOutput = (readCount(newer.output_tokens) ?? -1) >= (readCount(usage.output_tokens) ?? 0);
    const read = asObserved(readMessagesUsage(usage, searches), isFinal && saysOutput);
    if (read !== null) events.push({ type: "usage", usage: read });
  };

  const pushNative = (fields: JsonObject, tier: string | undefined, events: StreamEvent[]) => {
    const native = nativeFields(fields);
    if (native !== undefined || tier !== undefined) events.push({ type: "native", serviceTier: tier, native });
  };

  const startMessage = (event: JsonObject, events: StreamEvent[]) => {
    const message = isObject(event.message) ? event.message : {};
    started = true;
    events.push({
      type: "response-start",
      id: stringOrNull(message.id),
      model: stringOrNull(message.model),
      created: null,
    });
    pushUsage(message.usage, false, events);
    pushNative(message, serviceTierOf(message.usage), events);
  };

  const finishMessage = (event: JsonObject, events: StreamEvent[]) => {
    const { type: _type, delta, usage: newer, ...rest } = event;
    for (const key of blocks.keys()) closeBlock(key, events);
    const deltaFields = isObject(delta) ? delta : {};
    pushUsage(newer, finish !== null || stringOrNull(deltaFields.stop_reason) !== null, events);
    pushNative({ ...deltaFields, ...rest }, undefined, events);
    if (finish !== null || stringOrNull(deltaFields.stop_reason) === null) return;
    finish = decodeStopReason(deltaFields);
    events.push({ type: "finish", candidate: 0, finish });
  };

  const stopMessage = (events: StreamEvent[]): StreamEvent[] => {
    if (!started || finish === null) throw new AnswerFault("The provider's stream ended before the answer did.");
    done = true;
    events.push({ type: "response-end" });
    return events;
  };

  return {
    push(data) {
      const events: StreamEvent[] = [];
      if (done || data === "" || data === "[DONE]") return events;
      const event = parseEvent(data);
      if (event.type !== "message_start" && !started) {
        if (event.type === "ping") return events;
        throw new AnswerFault("The provider's stream does not begin with message_start.");
      }
      switch (event.type) {
        case "message_start":
          if (!started) startMessage(event, events);
          break;
        case "content_block_start":
          openBlock(event, events);
          break;
        case "content_block_delta":
          addToBlock(event, events);
          break;
        case "content_block_stop":
          closeBlock(event.index, events);
          break;
        case "message_delta":
          finishMessage(event, events);
          break;
        case "message_stop":
          return stopMessage(events);
        default:
      }
      return events;
    },
    end() {
      return done ? [] : stopMessage([]);
    },
    get finished() {
      return done;
    },
  };
}

function parseEvent(data: string): JsonObject {
  let event: unknown;
  try {
    event = parseExactly(data);
  } catch {
    throw new AnswerFault("The provider's stream holds an event that is not JSON.");
  }
  const error = readMessagesError(event);
  if (error !== null) throw new AnswerFault("The provider reported an error within its stream.", error);
  if (!isObject(event)) throw new AnswerFault("The provider's stream holds an event that is not an object.");
  return event;
}

/** A hosted tool's call with the input that streamed after it. */
function withInput(value: JsonObject, input: string): JsonObject {
  if (input === "") return value;
  try {
    return { ...value, input: parseExactly(input) };
  } catch {
    return value;
  }
}
