import type { Spelling, VendorFieldName } from "../../conversation/fields.ts";

/** How Anthropic Messages write fields: whole paths, or what follows the path of a message, block or tool. */
export const messagesSpelling: Spelling = {
  cache: ".cache_control",
  "cache.lifetime": ".cache_control.ttl",
  citations: ".citations",
  "document.title": ".title",
  "document.context": ".context",
  "document.citations": ".citations",
  "toolResult.error": ".is_error",
  "tool.strict": ".strict",
  "toolChoice.auto": "tool_choice",
  "toolChoice.none": "tool_choice",
  "toolChoice.required": "tool_choice",
  "toolChoice.tool": "tool_choice",
  parallelToolCalls: "tool_choice.disable_parallel_tool_use",
  "responseFormat.schema": "output_config.format",
  "reasoning.enabled": "thinking",
  "reasoning.disabled": "thinking",
  "reasoning.effort": "output_config.effort",
  "reasoning.budget": "thinking.budget_tokens",
  "reasoning.summary": "thinking.display",
  maxOutputTokens: "max_tokens",
  topP: "top_p",
  topK: "top_k",
  stop: "stop_sequences",
  userId: "metadata.user_id",
  serviceTier: "service_tier",
  "anthropic.cache_control": "cache_control",
  "anthropic.container": "container",
  "anthropic.context_management": "context_management",
  "anthropic.diagnostics": "diagnostics",
  "anthropic.inference_geo": "inference_geo",
  "anthropic.mcp_servers": "mcp_servers",
  "anthropic.speed": "speed",
  "anthropic.thinking_between_tools": "thinking",
};

/** Top-level fields of Anthropic's own, and what the neutral form calls them. */
export const messagesVendorFields: readonly (readonly [wireName: string, field: VendorFieldName])[] = [
  ["cache_control", "anthropic.cache_control"],
  ["container", "anthropic.container"],
  ["context_management", "anthropic.context_management"],
  ["diagnostics", "anthropic.diagnostics"],
  ["inference_geo", "anthropic.inference_geo"],
  ["mcp_servers", "anthropic.mcp_servers"],
  ["speed", "anthropic.speed"],
];
