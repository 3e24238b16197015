import { isObject, listOrEmpty, type JsonObject } from "../../../json/values.ts";
import type { AnswerContext } from "../../codec.ts";
import { openaiServiceTier } from "../../fields/openai-service-tier.ts";
import type { Ending } from "./finish.ts";

/** The fields of a response that do not echo its request. */
export interface ResponseFacts {
  readonly id: string;
  /** Unix seconds. */
  readonly createdAt: number;
  /** Unix seconds; null unless it is completed. */
  readonly completedAt: number | null;
  readonly model: string;
  readonly ending: Ending | { readonly status: "in_progress" };
  readonly output: readonly JsonObject[];
  readonly usage: JsonObject | null;
  readonly serviceTier: string | undefined;
  /** OpenAI's fields beside those that every response has. */
  readonly native: JsonObject;
}

/** The form of this dialect's ids, which occur in paths and in the ids of items. */
const ownId = /^resp_[\w-]{1,200}$/;

/** The id of a response: the answer's own if it is of this dialect and is not stored, else one of the gateway's. */
export function responseIdOf(id: string | null, context: Pick<AnswerContext, "fallbackId" | "isStored">): string {
  const { fallbackId, isStored = false } = context;
  return id !== null && !isStored && ownId.test(id) ? id : `resp_${fallbackId}`;
}

/** A response object with all its required fields: facts, and the request's settings with their defaults. */
export function responseObject(facts: ResponseFacts, body: JsonObject): JsonObject {
  const { ending } = facts;
  const ended = "error" in ending ? ending : null;
  return {
    ...facts.native,
    id: facts.id,
    object: "response",
    created_at: facts.createdAt,
    completed_at: facts.completedAt,
    status: ending.status,
    incomplete_details: ended?.incomplete_details ?? null,
    model: facts.model,
    previous_response_id: body.previous_response_id ?? null,
    instructions: body.instructions ?? null,
    output: facts.output,
    error: ended?.error ?? null,
    tools: Array.isArray(body.tools) ? body.tools.map(echoTool) : [],
    tool_choice: body.tool_choice ?? "auto",
    truncation: body.truncation ?? "disabled",
    parallel_tool_calls: body.parallel_tool_calls ?? true,
    text: { format: { type: "text" }, ...settings(body.text) },
    top_p: body.top_p ?? 1,
    presence_penalty: body.presence_penalty ?? 0,
    frequency_penalty: body.frequency_penalty ?? 0,
    top_logprobs: body.top_logprobs ?? 0,
    temperature: body.temperature ?? 1,
    reasoning: { effort: null, summary: null, ...settings(body.reasoning) },
    usage: facts.usage,
    max_output_tokens: body.max_output_tokens ?? null,
    max_tool_calls: body.max_tool_calls ?? null,
    store: body.store ?? true,
    background: body.background ?? false,
    service_tier: openaiServiceTier(facts.serviceTier) ?? body.service_tier ?? (ended === null ? "auto" : "default"),
    metadata: body.metadata ?? {},
    safety_identifier: body.safety_identifier ?? null,
    prompt_cache_key: body.prompt_cache_key ?? null,
    user: body.user,
  };
}

/** A tool as it is echoed: a function has all its members, null if the request left them out. */
function echoTool(tool: unknown): unknown {
  if (!isObject(tool)) return tool;
  if (tool.type === "namespace") return { ...tool, tools: listOrEmpty(tool.tools).map(echoTool) };
  if (tool.type !== "function") return tool;
  return {
    ...tool,
    description: tool.description ?? null,
    parameters: tool.parameters ?? null,
    strict: tool.strict ?? null,
  };
}

/** The members of an object that are set. */
function settings(value: unknown): JsonObject {
  return isObject(value) ? Object.fromEntries(Object.entries(value).filter(([, member]) => member !== null)) : {};
}
