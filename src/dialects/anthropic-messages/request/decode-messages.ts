import type { Part } from "../../../conversation/parts.ts";
import type { Message } from "../../../conversation/request.ts";
import { invalidParameter, missingParameter } from "../../../errors.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { requiredList, requiredObject } from "../../fields/read-field.ts";
import { textAsImage } from "../answer/answer-image.ts";
import { decodeBlocks } from "./decode-blocks.ts";
import { noteUnknown, type Unknown } from "../../fields/unknown-fields.ts";

/** Reads `system` and `messages`. A user's tool results become a separate message, before the other content. */
export function decodeMessages(body: JsonObject, unknown: Unknown): Message[] {
  const messages: Message[] = [];
  if (body.system !== undefined && body.system !== null) {
    const parts = decodeBlocks(body.system, "system", unknown);
    if (parts.length > 0) messages.push({ role: "system", parts, path: "system" });
  }
  const list = requiredList(body.messages, "messages");
  if (list.length === 0 && !continuesThread(body)) throw invalidParameter("messages", "at least one message");
  list.forEach((value, index) => {
    const path = `messages[${index}]`;
    const message = requiredObject(value, path);
    noteUnknown(message, "role content", path, unknown);
    const { content } = message;
    if (content === undefined || content === null) throw missingParameter(`${path}.content`);
    messages.push(...splitByRole(message.role, decodeBlocks(content, `${path}.content`, unknown), path));
  });
  return messages;
}

/** Such a request goes on with what the vendor keeps, and may add nothing. */
function continuesThread({ thread }: JsonObject): boolean {
  return isObject(thread) && thread.type === "continue";
}

function splitByRole(role: unknown, parts: readonly Part[], path: string): Message[] {
  if (role === undefined) throw missingParameter(`${path}.role`);
  if (role === "assistant") return [{ role, parts: parts.map(textAsImage), path }];
  if (role === "system") return [{ role, parts, path }];
  if (role !== "user") throw invalidParameter(`${path}.role`, "one of user, assistant, system");
  const results = parts.filter((part) => part.type === "tool-result");
  const others = parts.filter((part) => part.type !== "tool-result");
  const messages: Message[] = [];
  if (results.length > 0) messages.push({ role: "tool", parts: results, path });
  if (others.length > 0 || results.length === 0) messages.push({ role: "user", parts: others, path });
  return messages;
}
