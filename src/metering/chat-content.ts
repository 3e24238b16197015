import { isObject, type JsonObject, listOrEmpty } from "../json/values.ts";
import {
  addInstructions,
  addJson,
  addText,
  type GrowingContent,
  noContent,
  type PromptContent,
} from "./prompt-content.ts";

/**
 * Gathers what a model reads of a chat request's body as it came: what `conversationContent` finds in it once it is
 * decoded, without the cost of that. Takes bodies of any shape: what it does not understand is passed over.
 */
export function chatContent(body: unknown): PromptContent {
  const content = noContent();
  if (!isObject(body)) return content;
  for (const message of listOrEmpty(body.messages)) if (isObject(message)) addMessage(content, message);
  for (const tool of listOrEmpty(body.tools)) addTool(content, tool);
  for (const tool of listOrEmpty(body.functions)) addFunction(content, tool);
  if (isObject(body.web_search_options)) content.hostedTools++;
  const format = isObject(body.response_format) ? body.response_format.json_schema : null;
  if (isObject(format)) {
    addText(content, format.description);
    addJson(content, format.schema);
  }
  return content;
}

function addMessage(content: GrowingContent, message: JsonObject): void {
  if (message.role === "system" || message.role === "developer") addInstructions(content);
  else content.messages++;
  addText(content, message.name);
  addText(content, message.refusal);
  addReasoning(content, message);
  if (Array.isArray(message.content)) for (const part of message.content) addPart(content, part);
  else addText(content, message.content);
  for (const call of listOrEmpty(message.tool_calls))
    if (isObject(call)) addCall(content, call.function ?? call.custom);
  addCall(content, message.function_call);
}

function addReasoning(content: GrowingContent, message: JsonObject): void {
  const text = message.reasoning_content ?? message.reasoning;
  if (typeof text === "string") return addText(content, text);
  for (const detail of listOrEmpty(message.reasoning_details)) {
    if (isObject(detail)) addText(content, detail.text ?? detail.summary);
  }
}

function addPart(content: GrowingContent, part: unknown): void {
  if (!isObject(part)) return addText(content, part);
  if (part.type === "image_url") content.images++;
  else if (typeof part.text === "string") addText(content, part.text);
  else if (typeof part.refusal === "string") addText(content, part.refusal);
  else content.media++;
}

function addCall(content: GrowingContent, call: unknown): void {
  if (!isObject(call)) return;
  addText(content, call.name);
  addText(content, call.arguments ?? call.input);
}

function addTool(content: GrowingContent, tool: unknown): void {
  if (!isObject(tool)) return;
  if (isObject(tool.function)) return addFunction(content, tool.function);
  if (isObject(tool.custom)) return addFunction(content, tool.custom);
  content.hostedTools++;
  addJson(content, tool);
}

function addFunction(content: GrowingContent, named: unknown): void {
  if (!isObject(named)) return;
  addText(content, named.name);
  addText(content, named.description);
  addJson(content, named.parameters);
  const { format } = named;
  if (isObject(format) && isObject(format.grammar)) addText(content, format.grammar.definition);
}
