import { splitIntoPieces, splitIntoWords } from "../compose/split-text.ts";
import type { Frame } from "../dialect.ts";
import type { JsonObject } from "../json.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { type AnswerBlock, blocksOfChoice, emptyMessage, endOf, type MessagesWireOptions } from "./write-answer.ts";
import { usageAtEnd, usageAtStart, writeUsage } from "./write-usage.ts";

const inputPerDelta = 12;

/** A message as a stream: start, a ping, each block in chunks, end. */
export function* writeStream(reply: Reply, script: Script, wire: MessagesWireOptions): Generator<Frame> {
  const usage = writeUsage(reply.tokens, script.usage, wire.lifetime);
  const withUsage = (counts: JsonObject | undefined) => (counts === undefined ? {} : { usage: counts });
  yield event("message_start", { message: { ...emptyMessage(reply), ...withUsage(usageAtStart(usage)) } });
  yield event("ping", {});
  const [choice] = reply.choices;
  if (choice === undefined) return;
  for (const [index, block] of blocksOfChoice(choice, wire).entries()) yield* writeBlock(block, index);
  if (choice.finishReason !== null)
    yield event("message_delta", { delta: endOf(choice), ...withUsage(usageAtEnd(usage)) });
  if (script.no_done !== true) yield event("message_stop", {});
}

function event(type: string, fields: JsonObject): Frame {
  return { event: type, data: JSON.stringify({ type, ...fields }) };
}

function* writeBlock({ block, pieces }: AnswerBlock, index: number): Generator<Frame> {
  const delta = (fields: JsonObject) => event("content_block_delta", { index, delta: fields });
  const whole = pieces.join("");
  switch (block["type"]) {
    case "thinking":
      yield event("content_block_start", { index, content_block: { ...block, thinking: "", signature: "" } });
      for (const thinking of splitIntoWords(whole)) yield delta({ type: "thinking_delta", thinking });
      yield delta({ type: "signature_delta", signature: block["signature"] });
      break;
    case "text":
      yield event("content_block_start", { index, content_block: { ...block, text: "" } });
      for (const text of pieces) yield delta({ type: "text_delta", text });
      break;
    default:
      yield event("content_block_start", { index, content_block: { ...block, input: {} } });
      yield delta({ type: "input_json_delta", partial_json: "" });
      // An empty input is omitted.
      for (const partial_json of whole === "{}"
        ? []
        : splitIntoPieces(whole, Math.ceil(whole.length / inputPerDelta))) {
        yield delta({ type: "input_json_delta", partial_json });
      }
  }
  yield event("content_block_stop", { index });
}
