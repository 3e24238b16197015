import type { Spelling, VendorFieldName } from "../../conversation/fields/fields.ts";

/** How the Responses API writes fields: whole paths, or what follows the path of an item, part or tool. */
export const responsesSpelling: Spelling = {
  "message.phase": ".phase",
  "image.detail": ".detail",
  "document.title": ".filename",
  cache: ".prompt_cache_breakpoint",
  "cache.lifetime": ".prompt_cache_breakpoint.ttl",
  citations: ".annotations",
  "tool.strict": ".strict",
  "tool.grammar": ".format",
  parallelToolCalls: "parallel_tool_calls",
  "toolChoice.auto": "tool_choice",
  "toolChoice.none": "tool_choice",
  "toolChoice.required": "tool_choice",
  "toolChoice.tool": "tool_choice",
  "toolChoice.allowed": "tool_choice",
  "toolChoice.native": "tool_choice",
  "responseFormat.json": "text.format",
  "responseFormat.schema": "text.format",
  "responseFormat.strict": "text.format.strict",
  "reasoning.enabled": "reasoning",
  "reasoning.disabled": "reasoning.effort",
  "reasoning.effort": "reasoning.effort",
  "reasoning.summary": "reasoning.summary",
  verbosity: "text.verbosity",
  maxOutputTokens: "max_output_tokens",
  topP: "top_p",
  presencePenalty: "presence_penalty",
  frequencyPenalty: "frequency_penalty",
  logprobs: "include",
  topLogprobs: "top_logprobs",
  userId: "user",
  safetyIdentifier: "safety_identifier",
  serviceTier: "service_tier",
  cacheKey: "prompt_cache_key",
  "openai.prompt_cache_options": "prompt_cache_options",
  "openai.prompt_cache_retention": "prompt_cache_retention",
  "openai.moderation": "moderation",
  "openai.stream_obfuscation": "stream_options.include_obfuscation",
  "openai.truncation": "truncation",
  "openai.background": "background",
  "openai.include": "include",
  "openai.max_tool_calls": "max_tool_calls",
  "openai.conversation": "conversation",
  "openai.prompt": "prompt",
  "openai.context_management": "context_management",
  "openai.reasoning_mode": "reasoning.mode",
  "openai.reasoning_context": "reasoning.context",
  "openai.access_programs": "access_programs",
  "openai.image": "image",
};

/** A top-level field of OpenAI's own: what the neutral form calls it, and the value that its absence means. */
export interface ResponsesVendorField {
  readonly wireName: string;
  readonly field: VendorFieldName;
  readonly absent?: unknown;
}

export const responsesVendorFields: readonly ResponsesVendorField[] = [
  { wireName: "prompt_cache_options", field: "openai.prompt_cache_options" },
  { wireName: "prompt_cache_retention", field: "openai.prompt_cache_retention" },
  { wireName: "moderation", field: "openai.moderation" },
  { wireName: "truncation", field: "openai.truncation", absent: "disabled" },
  { wireName: "background", field: "openai.background", absent: false },
  { wireName: "max_tool_calls", field: "openai.max_tool_calls" },
  { wireName: "conversation", field: "openai.conversation" },
  { wireName: "prompt", field: "openai.prompt" },
  { wireName: "context_management", field: "openai.context_management" },
  { wireName: "access_programs", field: "openai.access_programs" },
  { wireName: "image", field: "openai.image" },
];
