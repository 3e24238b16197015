import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { Memory } from "../memory.ts";
import { Refusal } from "../refusal.ts";

/** Threads: conversations that the vendor holds under the id of each answer, so that a turn sends only what is new. */
const keyOf = (messageId: string) => `thread ${messageId}`;

/** The request with all messages of its thread, and without `thread`. Throws Anthropic's error for an unknown one. */
export function withThread({ thread, ...body }: JsonObject, memory: Memory): JsonObject {
  const { type, previous_message_id: previous } = objectOrEmpty(thread);
  if (type !== "continue") return body;
  const held = memory.get(keyOf(String(previous)));
  if (held === undefined) {
    throw new Refusal(404, "No thread was found for `previous_message_id`.", { code: "thread_not_found" });
  }
  return { ...body, messages: [...listOrEmpty(held), ...listOrEmpty(body["messages"])] };
}

/** Holds a conversation whose request has a `thread` under the id of its answer. */
export function holdThread(written: JsonObject, whole: JsonObject, answer: JsonObject, memory: Memory): void {
  if ((written["thread"] ?? null) === null) return;
  const messages = [...listOrEmpty(whole["messages"]), { role: "assistant", content: answer["content"] }];
  memory.set(keyOf(String(answer["id"])), messages);
}
