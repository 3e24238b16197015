import { laterUsage } from "../../conversation/usage.ts";
import { isObject, listOrEmpty, type JsonObject } from "../../json/values.ts";
import { readUsage } from "./usage.ts";

/**
 * Folds the chunks of a chat stream into the completion they spell out: for a provider that streams although a whole
 * answer was asked. Fields that the gateway does not know are kept as last seen; strings that stream are joined.
 */
export interface ChunkCollector {
  add(chunk: JsonObject): void;
  completion(): JsonObject;
}

interface CollectedChoice {
  readonly message: Record<string, unknown>;
  readonly toolCalls: Map<number, Record<string, unknown>>;
  readonly rest: Record<string, unknown>;
}

/** Fields of a delta whose pieces are joined; any other is replaced by its newest value. */
const streamed: ReadonlySet<string> = new Set(["content", "refusal", "reasoning_content", "reasoning"]);

export function createChunkCollector(): ChunkCollector {
  let top: Record<string, unknown> = {};
  const choices = new Map<number, CollectedChoice>();

  return {
    add(chunk) {
      const { choices: chunkChoices, ...fields } = chunk;
      for (const [name, value] of Object.entries(fields)) {
        if (name === "usage" && isObject(value))
          top = { ...top, usage: laterUsage(readUsage(top.usage), readUsage(value))?.raw };
        // A `usage: null` of an earlier chunk must not hide the figure, nor the other way round.
        else if (value !== null || !(name in top)) top = { ...top, [name]: value };
      }
      for (const choice of listOrEmpty(chunkChoices)) if (isObject(choice)) addChoice(choices, choice);
    },
    completion() {
      return {
        ...top,
        object: "chat.completion",
        choices: [...choices.entries()].sort(([a], [b]) => a - b).map(([index, choice]) => finish(index, choice)),
      };
    },
  };
}

function addChoice(choices: Map<number, CollectedChoice>, choice: JsonObject): void {
  const { index: position, delta, logprobs, ...rest } = choice;
  const index = typeof position === "number" ? position : 0;
  let collected = choices.get(index);
  if (!collected) {
    collected = { message: { role: "assistant", content: null }, toolCalls: new Map(), rest: {} };
    choices.set(index, collected);
  }
  Object.assign(collected.rest, withoutNull(rest));
  if (isObject(logprobs)) collected.rest.logprobs = joinLogprobs(collected.rest.logprobs, logprobs);
  if (!isObject(delta)) return;
  for (const [name, value] of Object.entries(delta)) {
    if (name === "tool_calls") for (const call of listOrEmpty(value)) addToolCall(collected.toolCalls, call);
    else if (streamed.has(name) && typeof value === "string") {
      const before = collected.message[name];
      collected.message[name] = typeof before === "string" ? before + value : value;
    } else if (value !== null) collected.message[name] = value;
  }
}

function addToolCall(toolCalls: Map<number, Record<string, unknown>>, value: unknown): void {
  if (!isObject(value)) return;
  const { index: position, function: piece, ...rest } = value;
  const index = typeof position === "number" ? position : toolCalls.size;
  const call = toolCalls.get(index) ?? { type: "function" };
  toolCalls.set(index, call);
  Object.assign(call, withoutNull(rest));
  if (!isObject(piece)) return;
  const before = isObject(call.function) ? call.function : {};
  const earlier = typeof before.arguments === "string" ? before.arguments : "";
  const more = typeof piece.arguments === "string" ? piece.arguments : "";
  call.function = { ...before, ...withoutNull(piece), arguments: earlier + more };
}

function joinLogprobs(before: unknown, more: JsonObject): JsonObject {
  const earlier = isObject(before) ? before : {};
  return {
    ...earlier,
    ...more,
    content: [...listOrEmpty(earlier.content), ...listOrEmpty(more.content)],
  };
}

function withoutNull(object: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== null));
}

function finish(index: number, choice: CollectedChoice): JsonObject {
  const toolCalls = [...choice.toolCalls.entries()].sort(([a], [b]) => a - b).map(([, call]) => call);
  const message = toolCalls.length > 0 ? { ...choice.message, tool_calls: toolCalls } : choice.message;
  return { index, finish_reason: null, logprobs: null, ...choice.rest, message };
}
