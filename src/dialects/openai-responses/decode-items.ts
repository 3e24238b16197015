import type { Part } from "../../conversation/parts.ts";
import type { StreamEvent } from "../../conversation/stream.ts";
import { isObject, listOrEmpty, stringOrNull, type JsonObject } from "../../json/values.ts";
import { decodeAnnotation } from "./annotations.ts";
import { decodeCall, decodeSaid, decodeWhole } from "./decode-output.ts";
import { decodeLogprobs } from "./logprobs.ts";
import { decodeReasoningItem, summarySeparator } from "./reasoning.ts";
import { readSignatureFields } from "./signatures.ts";

/** Reads the item events of a stream. What they say is appended to the list it was opened with. */
export interface ItemsDecoder {
  push(event: JsonObject): void;
  /** Ends what the stream left open. */
  close(): void;
  /** Items so far. */
  readonly count: number;
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
}

/** A part under way. How much was said is counted, so that an event that repeats the whole adds only what is missing. */
interface OpenPart {
  readonly index: number;
  readonly delta: "text-delta" | "input-delta";
  said: number;
  citations: number;
  logprobs: number;
  open: boolean;
}

interface ItemState {
  /** As it was when it was added. */
  readonly item: JsonObject;
  /** By content index; a call and reasoning have one, at 0. */
  readonly parts: Map<number, OpenPart>;
  /** Of reasoning: which of its texts is read, and the place within it. */
  place: { readonly source: "summary" | "content"; index: number; said: number } | null;
}

/** A part begins with its first text, so that what stays empty is none, as in a whole answer. Calls begin at once. */
export function openItemsDecoder(events: StreamEvent[]): ItemsDecoder {
  const items = new Map<number, ItemState>();
  let partCount = 0;
  let hasToolCalls = false;
  let hasRefusal = false;

  const start = (state: ItemState, contentIndex: number, part: Part): OpenPart => {
    const index = partCount++;
    const delta = part.type === "tool-call" ? "input-delta" : "text-delta";
    const opened: OpenPart = { index, delta, said: 0, citations: 0, logprobs: 0, open: true };
    state.parts.set(contentIndex, opened);
    if (part.type === "tool-call") hasToolCalls = true;
    if (part.type === "refusal") hasRefusal = true;
    events.push({ type: "part-start", candidate: 0, index, part });
    return opened;
  };

  const append = (part: OpenPart, text: string) => {
    if (text === "" || !part.open) return;
    part.said += text.length;
    const at = { candidate: 0, index: part.index };
    events.push(part.delta === "text-delta" ? { type: part.delta, ...at, text } : { type: part.delta, ...at, input: text });
  };

  const end = (part: OpenPart) => {
    if (!part.open) return;
    part.open = false;
    events.push({ type: "part-end", candidate: 0, index: part.index });
  };

  const add = (outputIndex: number, item: JsonObject): ItemState => {
    const state: ItemState = { item, parts: new Map(), place: null };
    items.set(outputIndex, state);
    if (item.type === "function_call" || item.type === "custom_tool_call") {
      start(state, 0, { ...decodeCall(item), input: "" });
    }
    return state;
  };

  const saidAt = (state: ItemState, contentIndex: number, type: "text" | "refusal"): OpenPart => {
    const known = state.parts.get(contentIndex);
    if (known !== undefined) return known;
    const phase = stringOrNull(state.item.phase) ?? undefined;
    return start(state, contentIndex, type === "text" ? { type, text: "", phase } : { type, text: "" });
  };

  const sayLogprobs = (part: OpenPart, value: unknown, seen: number) => {
    const logprobs = decodeLogprobs(value).slice(seen);
    part.logprobs += logprobs.length;
    if (logprobs.length > 0) events.push({ type: "logprobs-delta", candidate: 0, logprobs });
  };

  const cite = (part: OpenPart, annotation: JsonObject) => {
    part.citations += 1;
    events.push({ type: "citation-delta", candidate: 0, index: part.index, citation: decodeAnnotation(annotation) });
  };

  const pushTextDelta = (state: ItemState, event: JsonObject) => {
    if (typeof event.delta !== "string" || event.delta === "") return;
    const part = saidAt(state, numberOf(event.content_index), "text");
    sayLogprobs(part, event.logprobs, 0);
    append(part, event.delta);
  };

  /** A content as it is in the end: adds what no delta has said, and ends the part. */
  const finishSaid = (state: ItemState, contentIndex: number, content: JsonObject) => {
    const [whole] = decodeSaid(content, state.item);
    const known = state.parts.get(contentIndex);
    if (whole === undefined) return known === undefined ? undefined : end(known);
    const part = known ?? saidAt(state, contentIndex, whole.type);
    if (!part.open) return;
    sayLogprobs(part, content.logprobs, part.logprobs);
    append(part, whole.text.slice(part.said));
    const annotations = listOrEmpty(content.annotations).filter(isObject);
    for (const annotation of annotations.slice(part.citations)) cite(part, annotation);
    sign(part, content);
    end(part);
  };

  const sign = (part: OpenPart, node: JsonObject) => {
    const signature = readSignatureFields(node.extra_content);
    if (signature !== undefined) events.push({ type: "signature-delta", candidate: 0, index: part.index, signature });
  };

  /** Text of a reasoning item's summary or content; the kind that comes first is read. */
  const reason = (state: ItemState, source: "summary" | "content", index: number, text: (said: number) => string) => {
    if ((state.place ?? { source }).source !== source) return;
    const place = state.place?.index === index ? state.place : { source, index, said: 0 };
    const said = text(place.said);
    if (said === "") return;
    const id = stringOrNull(state.item.id) ?? undefined;
    const part = state.parts.get(0) ?? start(state, 0, { type: "reasoning", text: "", id });
    if (state.place !== null && state.place !== place) append(part, summarySeparator);
    state.place = place;
    place.said += said.length;
    append(part, said);
  };

  const finishReasoning = (state: ItemState, item: JsonObject) => {
    const whole = decodeReasoningItem(item);
    const known = state.parts.get(0);
    if (known === undefined) {
      if (whole !== null) end(start(state, 0, whole));
      return;
    }
    append(known, (whole?.text ?? "").slice(known.said));
    const signature = whole?.signature;
    if (signature !== undefined) events.push({ type: "signature-delta", candidate: 0, index: known.index, signature });
    end(known);
  };

  const finishCall = (state: ItemState, item: JsonObject) => {
    const part = state.parts.get(0);
    if (part === undefined) return;
    append(part, decodeCall(item).input.slice(part.said));
    if (readSignatureFields(state.item.extra_content) === undefined) sign(part, item);
    end(part);
  };

  const finishItem = (outputIndex: number, item: JsonObject) => {
    const state = items.get(outputIndex) ?? add(outputIndex, item);
    switch (item.type) {
      case "message":
        listOrEmpty(item.content).forEach((content, index) => {
          if (isObject(content)) finishSaid(state, index, content);
        });
        return;
      case "reasoning":
        return finishReasoning(state, item);
      case "function_call":
      case "custom_tool_call":
        return finishCall(state, item);
      default:
        if (typeof item.type === "string" && state.parts.size === 0) end(start(state, 0, decodeWhole(item)));
    }
  };

  const pushWithin = (state: ItemState, event: JsonObject) => {
    const contentIndex = numberOf(event.content_index);
    const delta = stringOrNull(event.delta) ?? "";
    switch (event.type) {
      case "response.output_text.delta":
        return pushTextDelta(state, event);
      case "response.refusal.delta":
        return delta === "" ? undefined : append(saidAt(state, contentIndex, "refusal"), delta);
      case "response.output_text.annotation.added": {
        const part = state.parts.get(contentIndex);
        return part?.open === true && isObject(event.annotation) ? cite(part, event.annotation) : undefined;
      }
      case "response.content_part.done":
        return isObject(event.part) && state.item.type === "message"
          ? finishSaid(state, contentIndex, event.part)
          : undefined;
      case "response.reasoning_summary_text.delta":
        return reason(state, "summary", numberOf(event.summary_index), () => delta);
      case "response.reasoning_summary_text.done":
        return reason(state, "summary", numberOf(event.summary_index), restOf(event.text));
      case "response.reasoning_text.delta":
        return reason(state, "content", contentIndex, () => delta);
      case "response.reasoning_text.done":
        return reason(state, "content", contentIndex, restOf(event.text));
      case "response.function_call_arguments.delta":
      case "response.custom_tool_call_input.delta": {
        const part = state.parts.get(0);
        return part === undefined ? undefined : append(part, delta);
      }
      default:
        return undefined;
    }
  };

  return {
    push(event) {
      const outputIndex = numberOf(event.output_index);
      if (event.type === "response.output_item.added") {
        if (isObject(event.item) && !items.has(outputIndex)) add(outputIndex, event.item);
      } else if (event.type === "response.output_item.done") {
        if (isObject(event.item)) finishItem(outputIndex, event.item);
      } else {
        const state = items.get(outputIndex);
        if (state !== undefined) pushWithin(state, event);
      }
    },
    close() {
      for (const { parts } of items.values()) for (const part of parts.values()) end(part);
    },
    get count() {
      return items.size;
    },
    get hasToolCalls() {
      return hasToolCalls;
    },
    get hasRefusal() {
      return hasRefusal;
    },
  };
}

function numberOf(value: unknown): number {
  return typeof value === "number" ? value : 0;
}

/** What a whole text has beyond what was said. */
function restOf(whole: unknown): (said: number) => string {
  return (said) => (stringOrNull(whole) ?? "").slice(said);
}
