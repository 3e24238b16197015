import { isObject, type JsonObject, listOrEmpty } from "../json/values.ts";

/** What a model reads of a request, as far as tokens go. */
export interface PromptContent {
  readonly texts: readonly string[];
  readonly messages: number;
  /** Images, sounds and files: what is not text. */
  readonly attachments: number;
}

/**
 * Gathers what a model would read of a chat request: messages, tool definitions and the schema of the answer. Takes
 * bodies of any shape: what it does not understand is passed over.
 */
export function promptContent(body: unknown): PromptContent {
  const texts: string[] = [];
  let attachments = 0;
  const addText = (value: unknown) => {
    if (typeof value === "string" && value !== "") texts.push(value);
  };
  const addPart = (part: unknown) => {
    if (!isObject(part)) addText(part);
    else if (typeof part["text"] === "string") addText(part["text"]);
    else if (typeof part["refusal"] === "string") addText(part["refusal"]);
    else attachments++;
  };
  const addJson = (value: unknown) => {
    if (isObject(value) || (Array.isArray(value) && value.length > 0)) texts.push(JSON.stringify(value));
  };

  if (!isObject(body)) return { texts, messages: 0, attachments };
  const messages = listOrEmpty(body["messages"]).filter(isObject);
  for (const message of messages) {
    if (Array.isArray(message["content"])) message["content"].forEach(addPart);
    else addText(message["content"]);
    addText(message["name"]);
    for (const call of toolCallsOf(message)) {
      addText(call["name"]);
      addText(call["arguments"] ?? call["input"]);
    }
  }
  addJson(body["tools"]);
  addJson(body["functions"]);
  if (isObject(body["response_format"])) addJson(body["response_format"]["json_schema"]);
  return { texts, messages: messages.length, attachments };
}

function toolCallsOf(message: JsonObject): JsonObject[] {
  const calls = listOrEmpty(message["tool_calls"])
    .filter(isObject)
    .map((call) => call["function"] ?? call["custom"]);
  return [...calls, message["function_call"]].filter(isObject);
}
