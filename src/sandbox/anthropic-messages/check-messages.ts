import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { checkContent } from "./check-blocks.ts";
import { fields, list, oneOf, anything } from "./check-value.ts";
import { invalidRequest } from "./errors.ts";

/** Checks the conversation: its blocks, that no message is empty, and that calls and results belong together. */
export function checkMessages(body: JsonObject, version: string): void {
  const messages = list(body["messages"], "messages");
  if (messages.length === 0) throw invalidRequest("messages", "at least one message is required");
  messages.forEach((message, index) => {
    const path = `messages.${index}`;
    fields({ role: oneOf("user", "assistant", "system"), content: anything })(message, path);
    const { role, content } = objectOrEmpty(message);
    if (content === undefined) throw invalidRequest(`${path}.content`, "Field required");
    checkContent(content, String(role), version, `${path}.content`);
    const isLastWord = role === "assistant" && index === messages.length - 1;
    const isEmpty = content === "" || (Array.isArray(content) && content.length === 0 && role !== "assistant");
    if (isEmpty && !isLastWord) {
      throw invalidRequest(
        path,
        "all messages must have non-empty content except for the optional final assistant message",
      );
    }
  });
  checkEnd(objectOrEmpty(messages.at(-1)));
  checkToolTurns(messages.map(objectOrEmpty));
  if (thinks(body)) checkThinkingKept(messages.map(objectOrEmpty));
}

/** The blocks of a message; none if it is a plain text. */
export function blocksOf(message: JsonObject | undefined): readonly JsonObject[] {
  return listOrEmpty(message?.["content"]).map(objectOrEmpty);
}

function checkEnd(last: JsonObject): void {
  const { role, content } = last;
  const ending = typeof content === "string" ? content : blocksOf(last).at(-1)?.["text"];
  if (role === "assistant" && typeof ending === "string" && ending !== ending.trimEnd()) {
    throw invalidRequest("messages", "final assistant content cannot end with trailing whitespace");
  }
}

/** The next message must begin with the results of all calls, and have no others. */
function checkToolTurns(messages: readonly JsonObject[]): void {
  messages.forEach((message, index) => {
    const calls = message["role"] === "assistant" ? idsOf(message, "tool_use", "id") : [];
    const next = messages[index + 1];
    const isOpenEnd = next === undefined && calls.length > 0;
    const answers = next?.["role"] === "user" ? leadingResults(next) : [];
    const open = calls.filter((id) => !answers.includes(id));
    if (open.length > 0 && !isOpenEnd) {
      throw invalidRequest(
        `messages.${index}`,
        `\`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${open.join(", ")}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`,
      );
    }
    if (isOpenEnd) throw invalidRequest(`messages.${index}`, "the conversation must not end with `tool_use` blocks");
    checkAnswers(message, messages[index - 1], index);
  });
}

function checkAnswers(message: JsonObject, before: JsonObject | undefined, index: number): void {
  const answers = idsOf(message, "tool_result", "tool_use_id");
  const calls = before?.["role"] === "assistant" ? idsOf(before, "tool_use", "id") : [];
  const stray = answers.find((id) => !calls.includes(id));
  if (stray !== undefined) {
    throw invalidRequest(
      `messages.${index}.content.0`,
      `unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${stray}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`,
    );
  }
  const twice = answers.find((id, position) => answers.indexOf(id) !== position);
  if (twice === undefined) return;
  throw invalidRequest(
    `messages.${index}.content`,
    `each tool_use must have a single result. Found multiple \`tool_result\` blocks with id: ${twice}`,
  );
}

function idsOf(message: JsonObject, type: string, field: string): string[] {
  return blocksOf(message).flatMap((block) => (block["type"] === type ? [String(block[field])] : []));
}

function leadingResults(message: JsonObject): string[] {
  const blocks = blocksOf(message);
  const end = blocks.findIndex((block) => block["type"] !== "tool_result");
  return blocks.slice(0, end < 0 ? blocks.length : end).map((block) => String(block["tool_use_id"]));
}

function thinks(body: JsonObject): boolean {
  return objectOrEmpty(body["thinking"])["type"] === "enabled";
}

/** With a thinking budget, the turn with the calls must begin with its thinking block. */
function checkThinkingKept(messages: readonly JsonObject[]): void {
  const index = messages.findLastIndex((message) => message["role"] === "assistant");
  const blocks = blocksOf(messages[index]);
  const isAnswered = blocksOf(messages[index + 1]).some((block) => block["type"] === "tool_result");
  const first = blocks[0]?.["type"];
  if (!isAnswered || first === "thinking" || first === "redacted_thinking") return;
  throw invalidRequest(
    `messages.${index}.content.0.type`,
    `Expected \`thinking\` or \`redacted_thinking\`, but found \`${String(first)}\`. When \`thinking\` is enabled, a final \`assistant\` message must start with a thinking block (preceeding the lastmost set of \`tool_use\` and \`tool_result\` blocks).`,
  );
}
