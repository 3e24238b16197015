import { isObject, listOrEmpty, type JsonObject } from "../../json/values.ts";
import { dataEvent } from "../../sse/event.ts";

/**
 * The chunks that say the same as a whole completion: for a provider that ignored `stream: true`. One chunk opens each
 * choice with all of its message, one closes it, and the usage follows where the caller asked for it.
 */
export function completionAsChunks(completion: JsonObject, includeUsage: boolean): Uint8Array {
  const { choices, usage, ...fields } = completion;
  const base = { ...fields, object: "chat.completion.chunk" };
  const events: Uint8Array[] = [];
  const emit = (chunk: JsonObject) => events.push(dataEvent(JSON.stringify(chunk)));

  for (const choice of listOrEmpty(choices)) {
    if (!isObject(choice)) continue;
    const { message, finish_reason: finishReason, ...rest } = choice;
    emit({ ...base, choices: [{ ...rest, delta: asDelta(message), finish_reason: null }] });
    emit({ ...base, choices: [{ index: choice.index ?? 0, delta: {}, finish_reason: finishReason ?? "stop" }] });
  }
  if (includeUsage && isObject(usage)) emit({ ...base, choices: [], usage });
  return Buffer.concat(events);
}

/** Tool calls of a delta carry an index, those of a message do not. */
function asDelta(message: unknown): JsonObject {
  if (!isObject(message)) return {};
  if (!Array.isArray(message.tool_calls)) return message;
  const toolCalls = message.tool_calls.map((call: unknown, index) => (isObject(call) ? { index, ...call } : call));
  return { ...message, tool_calls: toolCalls };
}
