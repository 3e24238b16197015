import type { JsonObject } from "../json.ts";
import type { Choice, Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import type { CachePoint } from "./read-cache.ts";
import { signThinking } from "./signatures.ts";
import { writeUsage } from "./write-usage.ts";

const stopReasons: Readonly<Record<string, string>> = {
  stop: "end_turn",
  length: "max_tokens",
  tool_calls: "tool_use",
  content_filter: "refusal",
};

/** The parts of a request that determine the form of the answer. */
export interface MessagesWireOptions {
  /** Thinking is signed, but its text is omitted. */
  readonly hidesThinking: boolean;
  /** With a thinking budget, calls never come without a thought before them. */
  readonly thinksBeforeCalls: boolean;
  readonly lifetime: CachePoint["lifetime"];
}

/** A complete message. */
export function writeMessage(reply: Reply, script: Script, wire: MessagesWireOptions): JsonObject {
  const [choice] = reply.choices;
  const usage = writeUsage(reply.tokens, script.usage, wire.lifetime);
  return {
    ...emptyMessage(reply),
    content: choice === undefined ? [] : blocksOfChoice(choice, wire).map(({ block }) => block),
    ...(choice === undefined ? {} : endOf(choice)),
    ...(usage === undefined ? {} : { usage }),
  };
}

/** The message object before its content. */
export function emptyMessage(reply: Reply): JsonObject {
  return {
    id: "scripted" in reply.id ? reply.id.scripted : `msg_${reply.id.unique}`,
    type: "message",
    role: "assistant",
    model: reply.model,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    stop_details: null,
    container: null,
  };
}

/** The stop reason of a message, with details for a refusal. */
export function endOf(choice: Choice): JsonObject {
  const { finishReason, stopSequence, refusal } = choice;
  const refuses = refusal !== null && finishReason === "stop";
  const ordinary = finishReason === null ? null : (stopReasons[finishReason] ?? finishReason);
  const stopped = stopSequence !== null && ordinary === "end_turn";
  return {
    stop_reason: refuses ? "refusal" : stopped ? "stop_sequence" : ordinary,
    stop_sequence: stopped ? stopSequence : null,
    stop_details: refuses ? { type: "refusal", category: null, explanation: refusal } : null,
  };
}

/** A content block, with its chunks in a stream. */
export interface AnswerBlock {
  readonly block: JsonObject;
  readonly pieces: readonly string[];
}

/** The blocks of an answer: thinking, text, calls. */
export function blocksOfChoice(choice: Choice, wire: MessagesWireOptions): AnswerBlock[] {
  const thinksUnasked = wire.thinksBeforeCalls && choice.toolCalls.length > 0;
  const reasoning = choice.reasoning === "" && thinksUnasked ? "Hm." : choice.reasoning;
  const thinking = wire.hidesThinking ? "" : reasoning;
  const thought = { type: "thinking", thinking, signature: signThinking(reasoning) };
  const pieces = choice.refusal === null ? choice.pieces : [...choice.pieces, choice.refusal];
  const text = pieces.join("");
  return [
    ...(reasoning === "" ? [] : [{ block: thought, pieces: [thinking] }]),
    ...(text === "" ? [] : [{ block: { type: "text", text, citations: null }, pieces }]),
    ...choice.toolCalls.map(({ id, name, arguments: written }) => ({
      block: { type: "tool_use", id: id.replace(/^call_/, "toolu_"), name, input: inputOf(written) },
      pieces: [written],
    })),
  ];
}

/** The input of a call is an object in this format: other values of the script are wrapped. */
function inputOf(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return { malformed: json };
  }
}
