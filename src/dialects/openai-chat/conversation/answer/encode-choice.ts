import type { Citation, ReasoningPart, ToolCallPart } from "../../../../conversation/parts.ts";
import type { StreamEvent } from "../../../../conversation/stream.ts";
import type { JsonObject } from "../../../../json/values.ts";
import { fitToolId } from "../../../fields/tool-ids.ts";
import { encodeAnnotations } from "./annotations.ts";
import { chatToolIds } from "../request/encode-messages.ts";
import { encodeImage, extraContent, extraOfCall } from "./encode-response.ts";
import { encodeReasoningDetail } from "../reasoning-details.ts";

/** The state of one choice of a stream. */
export interface ChoiceState {
  /** Index in `tool_calls` and kind of each tool call, by its part's index. */
  readonly calls: Map<number, { readonly position: number; readonly kind: ToolCallPart["kind"] }>;
  /** Reasoning by its part's index, while it is open. */
  readonly reasoning: Map<number, { readonly part: ReasoningPart; text: string }>;
  /** All details so far: clients keep only the newest list, so each list is complete. */
  readonly details: JsonObject[];
  /** The offset of each text part within the whole content, by its index. */
  readonly textStarts: Map<number, number>;
  textLength: number;
  refused: boolean;
}

export function newChoice(): ChoiceState {
  return {
    calls: new Map(),
    reasoning: new Map(),
    details: [],
    textStarts: new Map(),
    textLength: 0,
    refused: false,
  };
}

export type PartEvent = Extract<StreamEvent, { index: number }>;

/** The fields that a part's event adds to the message; null if there are none. */
export function encodePartEvent(event: PartEvent, choice: ChoiceState): JsonObject | null {
  switch (event.type) {
    case "part-start":
      return encodePartStart(event, choice);
    case "text-delta":
      return encodeText(event.index, event.text, choice);
    case "input-delta": {
      const call = choice.calls.get(event.index);
      if (call === undefined) return null;
      const added =
        call.kind === "custom" ? { custom: { input: event.input } } : { function: { arguments: event.input } };
      return { tool_calls: [{ index: call.position, ...added }] };
    }
    case "signature-delta":
      return encodeSignature(event, choice);
    case "citation-delta":
      return annotationsDelta([event.citation], event.index, choice);
    case "part-end": {
      const reasoning = choice.reasoning.get(event.index);
      choice.reasoning.delete(event.index);
      if (reasoning === undefined) return null;
      const detail = encodeReasoningDetail({ ...reasoning.part, text: reasoning.text }, event.index);
      if (detail === null) return null;
      choice.details.push(detail);
      return { reasoning_details: choice.details };
    }
    default:
      return null;
  }
}

function encodePartStart(event: Extract<PartEvent, { type: "part-start" }>, choice: ChoiceState): JsonObject | null {
  const { part, index } = event;
  switch (part.type) {
    case "text": {
      choice.textStarts.set(index, choice.textLength);
      choice.textLength += part.text.length;
      const contentField = part.text === "" ? {} : { content: part.text };
      const added = {
        ...contentField,
        ...annotationsDelta(part.citations, index, choice),
        ...signatureDelta(extraContent(part)),
      };
      return Object.keys(added).length === 0 ? null : added;
    }
    case "reasoning":
      choice.reasoning.set(index, { part, text: part.text });
      return part.text === "" ? null : { reasoning_content: part.text };
    case "refusal":
      choice.refused = true;
      return part.text === "" ? null : { refusal: part.text };
    case "tool-call":
      return encodeCallStart(part, index, choice);
    case "image":
      return { images: [{ index, ...encodeImage(part) }] };
    case "native":
      return part.vendor === "openai" ? part.value : null;
    default:
      return null;
  }
}

function encodeCallStart(part: ToolCallPart, index: number, choice: ChoiceState): JsonObject {
  const { kind, name, input } = part;
  const position = choice.calls.size;
  choice.calls.set(index, { position, kind });
  const id = fitToolId(part.id, chatToolIds);
  const call =
    kind === "custom"
      ? { type: "custom", custom: { name, input } }
      : { type: "function", function: { name, arguments: input } };
  return {
    tool_calls: [{ index: position, id, ...call, ...signatureDelta(extraOfCall(part, position, choice.details)) }],
  };
}

function encodeText(index: number, text: string, choice: ChoiceState): JsonObject | null {
  const reasoning = choice.reasoning.get(index);
  if (reasoning !== undefined) {
    reasoning.text += text;
    return { reasoning_content: text };
  }
  if (!choice.textStarts.has(index)) return { refusal: text };
  choice.textLength += text.length;
  return { content: text };
}

function encodeSignature(
  event: Extract<PartEvent, { type: "signature-delta" }>,
  choice: ChoiceState,
): JsonObject | null {
  const { index, signature } = event;
  const reasoning = choice.reasoning.get(index);
  if (reasoning !== undefined) {
    choice.reasoning.set(index, { part: { ...reasoning.part, signature }, text: reasoning.text });
    return null;
  }
  if (signature.vendor !== "google") return null;
  const extra = { extra_content: { google: { thought_signature: signature.value } } };
  const call = choice.calls.get(index);
  return call === undefined ? extra : { tool_calls: [{ index: call.position, ...extra }] };
}

function signatureDelta(extra: JsonObject | undefined): JsonObject {
  return extra === undefined ? {} : { extra_content: extra };
}

function annotationsDelta(
  citations: readonly Citation[] | undefined,
  index: number,
  choice: ChoiceState,
): JsonObject | null {
  const annotations = encodeAnnotations(citations, choice.textStarts.get(index) ?? 0);
  return annotations === undefined ? null : { annotations };
}
