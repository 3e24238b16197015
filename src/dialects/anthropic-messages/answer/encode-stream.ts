import {
  messagesAnswerId,
  brokenArguments,
  encodeOwnBlock,
  foreignSignature,
  isCut,
  openingToolUse,
  sealedBlock,
} from "./encode-response.ts";
import { openPartQueue } from "../../../conversation/one-part-at-a-time.ts";
import type { Part, Signature, WebSearchPart } from "../../../conversation/parts.ts";
import type { Finish } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { parseToolInput } from "../../../conversation/tool-calls.ts";
import type { ReportedUsage } from "../../../conversation/usage.ts";
import type { JsonObject } from "../../../json/values.ts";
import type { AnswerContext, StreamEncoder } from "../../codec.ts";
import { imageAsText } from "./answer-image.ts";
import { encodeCitation, encodeCitations } from "./citations.ts";
import { encodeMessagesError } from "../errors.ts";
import { encodeStopReason } from "./finish-reason.ts";
import { encodeSearchOutcome, openingSearch } from "./web-search.ts";
import { sealSignature } from "../sealed-signature.ts";
import { writeMessagesUsage } from "../usage.ts";

/** The block that is open. */
interface OpenBlock {
  readonly index: number;
  readonly part: Part;
  signature: Signature | undefined;
  /** Of a tool call: its arguments so far. */
  input: string;
}

/** One event as the wire has it: its name is its type, and official clients skip what has no name. */
function wireEvent(type: string, fields: JsonObject): string {
  return `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
}

/**
 * Writes a stream of Messages events. Blocks are numbered 0, 1, 2, ... and one is open at a time. The stop reason is
 * written with the usage, after all blocks; `message_stop` is the terminator.
 */
export function openMessagesStreamEncoder(context: AnswerContext): StreamEncoder {
  const queue = openPartQueue();
  let blockCount = 0;
  let open: OpenBlock | null = null;
  let search: WebSearchPart | null = null;
  let finish: Finish = { reason: "error" };
  let usage: ReportedUsage | null = null;
  let extras: JsonObject = {};
  /** The name of the first tool whose arguments are no JSON object. */
  let brokenCall: string | null = null;

  const delta = (fields: JsonObject) =>
    open === null ? "" : wireEvent("content_block_delta", { index: open.index, delta: fields });

  const inputDelta = (json: string) => delta({ type: "input_json_delta", partial_json: json });

  /** Free text is written as the one string of an object, piece by piece. */
  const addInput = (input: string): string => {
    if (open?.part.type !== "tool-call") return "";
    if (open.part.kind === "custom") return inputDelta(stringPiece(input));
    open.input += input;
    return inputDelta(input);
  };

  /** The most frequent event by far: its constant text is made once. */
  const textDelta = (text: string): string => {
    if (open === null) return "";
    const [type, field] = open.part.type === "reasoning" ? ["thinking_delta", "thinking"] : ["text_delta", "text"];
    const head = `{"type":"content_block_delta","index":${open.index},"delta":{"type":"${type}","${field}":`;
    return `event: content_block_delta\ndata: ${head}${JSON.stringify(text)}}}\n\n`;
  };

  const wholeBlock = (block: JsonObject): string => {
    const index = blockCount++;
    return (
      wireEvent("content_block_start", { index, content_block: block }) + wireEvent("content_block_stop", { index })
    );
  };

  /** The search itself is a whole block, after which that of its results may follow. */
  const startSearch = (part: WebSearchPart): string => {
    const index = blockCount++;
    const json = JSON.stringify({ query: part.query });
    search = part;
    return (
      wireEvent("content_block_start", { index, content_block: openingSearch(part) }) +
      wireEvent("content_block_delta", { index, delta: { type: "input_json_delta", partial_json: json } }) +
      wireEvent("content_block_stop", { index }) +
      (part.outcome === undefined ? "" : wholeBlock(encodeSearchOutcome(part, part.outcome)))
    );
  };

  const start = (started: Part): string => {
    if (started.type === "web-search") return startSearch(started);
    const part = started.type === "image" ? (imageAsText(started) ?? started) : started;
    const foreign = foreignSignature(part);
    const before = foreign === undefined ? "" : wholeBlock(sealedBlock({ signature: foreign, of: "next" }));
    const opening = openingBlock(part);
    if (opening === null) {
      const whole = encodeOwnBlock(part);
      return whole === null ? before : before + wholeBlock(whole);
    }
    const signature = part.type === "reasoning" ? part.signature : undefined;
    open = { index: blockCount++, part, signature, input: part.type === "tool-call" ? part.input : "" };
    return (
      before + wireEvent("content_block_start", { index: open.index, content_block: opening }) + begun(part, delta)
    );
  };

  const end = (): string => {
    if (open === null) return "";
    const { index, part, signature, input } = open;
    let closing = "";
    if (part.type === "tool-call") {
      if (part.kind === "custom") closing = inputDelta('"}');
      else if (parseToolInput(input) === null) brokenCall ??= part.name;
    }
    if (part.type === "reasoning" && signature !== undefined) {
      closing = delta({ type: "signature_delta", signature: sealSignature({ signature, id: part.id }) });
    }
    open = null;
    closing += wireEvent("content_block_stop", { index });
    if (part.type === "reasoning" || signature === undefined) return closing;
    return closing + wholeBlock(sealedBlock({ signature, of: "previous" }));
  };

  const encodePartEvent = (event: StreamEvent): string => {
    switch (event.type) {
      case "part-start":
        return start(event.part);
      case "text-delta":
        return textDelta(event.text);
      case "input-delta":
        return addInput(event.input);
      case "signature-delta":
        if (open !== null) open.signature = event.signature;
        return "";
      case "citation-delta": {
        const citation = encodeCitation(event.citation);
        return citation === null ? "" : delta({ type: "citations_delta", citation });
      }
      case "search-outcome":
        return search === null ? "" : wholeBlock(encodeSearchOutcome(search, event.outcome));
      case "part-end":
        search = null;
        return end();
      default:
        return "";
    }
  };

  const encodeAll = (events: readonly StreamEvent[]): string => {
    let wire = "";
    for (const event of events) wire += encodePartEvent(event);
    return wire;
  };

  return {
    push(event) {
      switch (event.type) {
        case "response-start":
          return wireEvent("message_start", { message: emptyMessage(event, context) });
        case "usage":
          usage = event.usage;
          return "";
        case "native":
          if (event.native?.vendor === "anthropic") extras = { ...extras, ...event.native.fields };
          return "";
        case "finish":
          if (event.candidate !== 0) return "";
          finish = event.finish;
          if (brokenCall !== null && !isCut(finish)) throw brokenArguments(brokenCall);
          return "";
        case "logprobs-delta":
          return "";
        case "response-end":
          return wireEvent("message_delta", {
            delta: encodeStopReason(finish),
            usage: usage === null ? { output_tokens: 0 } : writeMessagesUsage(usage),
            ...extras,
          });
        default:
          // The dialect has one answer to a request.
          if (event.candidate !== 0) return "";
          return encodeAll(queue.push(event));
      }
    },
    terminator: () => wireEvent("message_stop", {}),
    fail: (error, requestId) => `event: error\ndata: ${JSON.stringify(encodeMessagesError(error, requestId))}\n\n`,
  };
}

/** The block before its deltas; null for a part whose block is complete at its start. */
function openingBlock(part: Part): JsonObject | null {
  switch (part.type) {
    case "text":
    case "refusal":
      return { type: "text", text: "" };
    case "reasoning":
      return part.redacted === true ? null : { type: "thinking", thinking: "", signature: "" };
    case "tool-call":
      return openingToolUse(part);
    default:
      return null;
  }
}

/** The content that a part has at its start, as deltas. */
function begun(part: Part, delta: (fields: JsonObject) => string): string {
  switch (part.type) {
    case "text": {
      const text = part.text === "" ? "" : delta({ type: "text_delta", text: part.text });
      const citations = encodeCitations(part.citations) ?? [];
      return text + citations.map((citation) => delta({ type: "citations_delta", citation })).join("");
    }
    case "refusal":
      return part.text === "" ? "" : delta({ type: "text_delta", text: part.text });
    case "reasoning":
      return part.text === "" ? "" : delta({ type: "thinking_delta", thinking: part.text });
    case "tool-call":
      return delta({
        type: "input_json_delta",
        partial_json: part.kind === "custom" ? `{"input":"${stringPiece(part.input)}` : part.input,
      });
    default:
      return "";
  }
}

/** Text as the content of a JSON string. */
function stringPiece(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** Clients show how full the context is from the first event: it carries the estimate, as the count is not known yet. */
function emptyMessage(event: Extract<StreamEvent, { type: "response-start" }>, context: AnswerContext): JsonObject {
  return {
    id: messagesAnswerId(event.id, context),
    type: "message",
    role: "assistant",
    model: event.model ?? context.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: {
      input_tokens: Math.max(context.estimatedInputTokens, 1),
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
    },
  };
}
