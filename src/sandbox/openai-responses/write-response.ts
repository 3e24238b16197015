import { isObject, type JsonObject } from "../json.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { responseId, writeItems, type WireOptions } from "./write-items.ts";
import { writeUsage } from "./write-usage.ts";

/** A response object before the answer, with the fields echoed from the request. */
export function writeEmptyResponse(reply: Reply, body: JsonObject): JsonObject {
  const setting = (name: string, fallback: unknown) => body[name] ?? fallback;
  return {
    id: responseId(reply),
    object: "response",
    created_at: reply.created,
    status: "in_progress",
    background: false,
    completed_at: null,
    error: null,
    frequency_penalty: 0,
    incomplete_details: null,
    instructions: setting("instructions", null),
    max_output_tokens: setting("max_output_tokens", null),
    max_tool_calls: setting("max_tool_calls", null),
    model: reply.model,
    output: [],
    parallel_tool_calls: setting("parallel_tool_calls", true),
    presence_penalty: 0,
    previous_response_id: setting("previous_response_id", null),
    prompt_cache_key: setting("prompt_cache_key", null),
    reasoning: setting("reasoning", { effort: null, summary: null }),
    safety_identifier: setting("safety_identifier", null),
    service_tier: "auto",
    store: setting("store", true),
    temperature: setting("temperature", 1),
    text: setting("text", { format: { type: "text" }, verbosity: "medium" }),
    tool_choice: setting("tool_choice", "auto"),
    tools: Array.isArray(body.tools) ? body.tools.map(echoTool) : [],
    top_logprobs: setting("top_logprobs", 0),
    top_p: setting("top_p", 1),
    truncation: setting("truncation", "disabled"),
    usage: null,
    user: setting("user", null),
    metadata: setting("metadata", {}),
  };
}

/** OpenAI echoes a function with all its members. */
function echoTool(tool: unknown): unknown {
  if (!isObject(tool) || tool.type !== "function") return tool;
  return { ...tool, description: tool.description ?? null, strict: tool.strict ?? true };
}

const incompleteReasons: Readonly<Record<string, string>> = {
  length: "max_output_tokens",
  content_filter: "content_filter",
};

/** The complete response object. */
export function writeResponse(reply: Reply, script: Script, body: JsonObject, wire: WireOptions): JsonObject {
  const [choice] = reply.choices;
  const reason = incompleteReasons[choice?.finishReason ?? ""];
  return {
    ...writeEmptyResponse(reply, body),
    status: reason === undefined ? "completed" : "incomplete",
    completed_at: reason === undefined ? reply.created : null,
    incomplete_details: reason === undefined ? null : { reason },
    output: choice === undefined ? [] : writeItems(reply, choice, wire).map(({ item }) => item),
    service_tier: "default",
    usage: writeUsage(reply.tokens, script.usage),
  };
}
