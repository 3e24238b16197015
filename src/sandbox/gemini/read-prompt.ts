import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { AnswerFormat, Attachment, Prompt, PromptMessage, PromptTool, ToolChoice } from "../prompt.ts";
import { partsOf } from "./check-contents.ts";
import { functionsOf } from "./check-settings.ts";

/** Converts a checked request to a prompt. */
export function readPrompt(request: JsonObject, model: string): Prompt {
  const config = objectOrEmpty(request["generationConfig"]);
  const thinking = objectOrEmpty(config["thinkingConfig"]);
  const cached = request["cachedContent"];
  return {
    model,
    messages: readMessages(request),
    tools: functionsOf(request).map(readTool),
    toolChoice: readToolChoice(request),
    parallelTools: true,
    format: readFormat(config),
    maxTokens: typeof config["maxOutputTokens"] === "number" ? config["maxOutputTokens"] : null,
    stop: listOrEmpty(config["stopSequences"]).map(String),
    choices: typeof config["candidateCount"] === "number" ? config["candidateCount"] : 1,
    cacheKey: typeof cached === "string" ? cached : null,
    reasoning: thinking["thinkingBudget"] !== 0,
  };
}

/** Converts contents to messages: each function response becomes a message. */
function readMessages(request: JsonObject): PromptMessage[] {
  const system = partsOf(request["systemInstruction"]);
  const messages: PromptMessage[] = system.length === 0 ? [] : [message("system", system)];
  const open: { readonly id: string; readonly name: string }[] = [];
  let callCount = 0;
  for (const content of listOrEmpty(request["contents"]).map(objectOrEmpty)) {
    const parts = partsOf(content);
    if (content["role"] === "model") {
      const toolCalls = parts.flatMap((part) => {
        if (part["functionCall"] === undefined) return [];
        const { id = `call_${callCount++}`, name, args } = objectOrEmpty(part["functionCall"]);
        const call = { id: String(id), name: String(name), arguments: JSON.stringify(args ?? {}) };
        open.push(call);
        return [call];
      });
      messages.push({ ...message("assistant", parts), toolCalls });
      continue;
    }
    messages.push(...readResponses(parts, open));
    const words = parts.filter((part) => part["functionResponse"] === undefined);
    if (words.length > 0) messages.push(message("user", words));
  }
  return messages;
}

function readResponses(
  parts: readonly JsonObject[],
  open: { readonly id: string; readonly name: string }[],
): PromptMessage[] {
  return parts.flatMap((part) => {
    if (part["functionResponse"] === undefined) return [];
    const { id, name, response, parts: media } = objectOrEmpty(part["functionResponse"]);
    const found = open.findIndex((call) => (id === undefined ? call.name === name : call.id === id));
    const [call] = found < 0 ? [] : open.splice(found, 1);
    const { output } = objectOrEmpty(response);
    const text = typeof output === "string" ? output : JSON.stringify(response ?? {});
    const attachments = listOrEmpty(media).flatMap((item) => readAttachment(objectOrEmpty(item)));
    return [{ role: "tool" as const, text, attachments, toolCalls: [], toolCallId: call?.id ?? String(id ?? name) }];
  });
}

function message(role: PromptMessage["role"], parts: readonly JsonObject[]): PromptMessage {
  const said = parts.filter((part) => part["thought"] !== true && typeof part["text"] === "string");
  return {
    role,
    text: said.map((part) => String(part["text"])).join(""),
    attachments: parts.flatMap(readAttachment),
    toolCalls: [],
    toolCallId: null,
  };
}

function readAttachment(part: JsonObject): Attachment[] {
  const blob = part["inlineData"] ?? part["fileData"];
  if (blob === undefined) return [];
  const { mimeType = "unknown", data, fileUri } = objectOrEmpty(blob);
  const type = String(mimeType);
  const kind = type.startsWith("image/") ? "image" : type.startsWith("audio/") ? "audio" : "file";
  const size = typeof data === "string" ? Math.floor((data.replace(/=+$/, "").length * 3) / 4) : null;
  return [{ kind, description: size === null ? String(fileUri).slice(0, 200) : `${type}, ${size} bytes` }];
}

function readTool(declared: JsonObject): PromptTool {
  const { name, parameters, parametersJsonSchema: full } = declared;
  return { name: String(name), schema: full === undefined ? lowerCased(parameters) : objectOrEmpty(full) };
}

/** Converts Google's schema to JSON Schema, as far as the sandbox uses it. */
function lowerCased(schema: unknown): JsonObject {
  const { type, properties, items, anyOf, ...rest } = objectOrEmpty(schema);
  const named = Object.entries(objectOrEmpty(properties)).map(([name, inner]) => [name, lowerCased(inner)] as const);
  return {
    ...rest,
    ...(typeof type === "string" ? { type: type.toLowerCase() } : {}),
    ...(properties === undefined ? {} : { properties: Object.fromEntries(named) }),
    ...(items === undefined ? {} : { items: lowerCased(items) }),
    ...(anyOf === undefined ? {} : { anyOf: listOrEmpty(anyOf).map(lowerCased) }),
  };
}

function readToolChoice(request: JsonObject): ToolChoice {
  const calling = objectOrEmpty(objectOrEmpty(request["toolConfig"])["functionCallingConfig"]);
  const [name] = listOrEmpty(calling["allowedFunctionNames"]);
  if (calling["mode"] === "NONE") return { mode: "none" };
  if (calling["mode"] !== "ANY") return { mode: "auto" };
  return typeof name === "string" ? { mode: "named", name } : { mode: "required" };
}

function readFormat(config: JsonObject): AnswerFormat {
  if (config["responseJsonSchema"] !== undefined) return { kind: "schema", schema: config["responseJsonSchema"] };
  if (config["responseSchema"] !== undefined) return { kind: "schema", schema: lowerCased(config["responseSchema"]) };
  return config["responseMimeType"] === "application/json" ? { kind: "json" } : { kind: "text" };
}
