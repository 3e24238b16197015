import { splitIntoPieces, splitIntoWords } from "../compose/split-text.ts";
import type { Frame } from "../dialect.ts";
import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { Reply } from "../reply.ts";
import { pieceLogprobs, writeItems, type OutputItem, type WireOptions } from "./write-items.ts";

const argumentsPerDelta = 12;

/** Creates the numbered events of one stream. */
type WriteEvent = (type: string, fields: JsonObject) => Frame;

/** A response as a stream. If `whole` is null, it ends without its last event. */
export function* writeResponsesStream(
  reply: Reply,
  empty: JsonObject,
  whole: JsonObject | null,
  wire: WireOptions,
): Generator<Frame> {
  let sequence = 0;
  const event: WriteEvent = (type, fields) => ({
    event: type,
    data: JSON.stringify({ type, sequence_number: sequence++, ...fields }),
  });
  yield event("response.created", { response: empty });
  yield event("response.in_progress", { response: empty });
  const [choice] = reply.choices;
  const items = choice === undefined ? [] : writeItems(reply, choice, wire);
  for (const [output_index, item] of items.entries()) yield* itemEvents(item, output_index, event, wire);
  if (whole !== null) yield event(`response.${String(whole["status"])}`, { response: whole });
}

function* itemEvents(output: OutputItem, output_index: number, event: WriteEvent, wire: WireOptions): Generator<Frame> {
  const { item } = output;
  const begun = { ...item, status: item["status"] === undefined ? undefined : "in_progress" };
  const at = { item_id: item["id"], output_index };
  switch (item["type"]) {
    case "message":
      yield event("response.output_item.added", { output_index, item: { ...begun, content: [] } });
      yield* contentEvents(output, { ...at, content_index: 0 }, event, wire);
      break;
    case "reasoning":
      yield event("response.output_item.added", { output_index, item: { ...begun, summary: [] } });
      if (output.pieces.length > 0) yield* summaryEvents(output.pieces.join(""), { ...at, summary_index: 0 }, event);
      break;
    default:
      yield* callEvents(output, at, { output_index, item: begun }, event);
  }
  yield event("response.output_item.done", { output_index, item });
}

function* contentEvents(
  { item, pieces }: OutputItem,
  at: JsonObject,
  event: WriteEvent,
  wire: WireOptions,
): Generator<Frame> {
  const part = objectOrEmpty(listOrEmpty(item["content"])[0]);
  if (part["type"] === "refusal") {
    yield event("response.content_part.added", { ...at, part: { type: "refusal", refusal: "" } });
    for (const delta of splitIntoWords(pieces.join(""))) yield event("response.refusal.delta", { ...at, delta });
    yield event("response.refusal.done", { ...at, refusal: part["refusal"] });
  } else {
    yield event("response.content_part.added", { ...at, part: { ...part, logprobs: [], text: "" } });
    for (const delta of pieces) {
      const logprobs = wire.topLogprobs === null ? [] : pieceLogprobs([delta], wire.topLogprobs);
      yield event("response.output_text.delta", { ...at, delta, logprobs });
    }
    yield event("response.output_text.done", { ...at, text: part["text"], logprobs: part["logprobs"] });
  }
  yield event("response.content_part.done", { ...at, part });
}

function* summaryEvents(text: string, at: JsonObject, event: WriteEvent): Generator<Frame> {
  yield event("response.reasoning_summary_part.added", { ...at, part: { type: "summary_text", text: "" } });
  for (const delta of splitIntoWords(text)) yield event("response.reasoning_summary_text.delta", { ...at, delta });
  yield event("response.reasoning_summary_text.done", { ...at, text });
  yield event("response.reasoning_summary_part.done", { ...at, part: { type: "summary_text", text } });
}

function* callEvents(
  { item, pieces }: OutputItem,
  at: JsonObject,
  added: JsonObject,
  event: WriteEvent,
): Generator<Frame> {
  const custom = item["type"] === "custom_tool_call";
  const inputName = custom ? "input" : "arguments";
  const name = custom ? "response.custom_tool_call_input" : "response.function_call_arguments";
  const written = pieces.join("");
  yield event("response.output_item.added", { ...added, item: { ...objectOrEmpty(added["item"]), [inputName]: "" } });
  for (const delta of splitIntoPieces(written, Math.ceil(written.length / argumentsPerDelta))) {
    yield event(`${name}.delta`, { ...at, delta });
  }
  yield event(`${name}.done`, { ...at, [inputName]: written });
}
