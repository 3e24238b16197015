/** A request for each field of the support table that uses it and as little else as can be. */
import type { FieldName } from "./fields.ts";
import type { Part, ToolResultContent } from "../parts.ts";
import type { ConversationRequest, Message, Tool } from "../request.ts";

const hello: Message = {
  role: "user",
  parts: [{ type: "text", text: "Hello", path: "messages[0]" }],
  path: "messages[0]",
};
const tool: Tool = { type: "function", name: "find", parameters: { type: "object", properties: {} }, path: "tools[0]" };

/** The base of every sample. */
export const plainRequest: ConversationRequest = {
  model: "any",
  stream: false,
  messages: [hello],
  tools: [tool],
  maxOutputTokens: 4_000,
  spelling: {},
};

type Sample = Partial<ConversationRequest>;

const userPart = (part: Part): Sample => ({
  messages: [{ ...hello, parts: [...hello.parts, { ...part, path: "sample" }] }],
});
const assistantParts = (...parts: Part[]): Sample => ({
  messages: [hello, { role: "assistant", parts: parts.map((part) => ({ ...part, path: "sample" })) }, hello],
});
const result = (parts: readonly ToolResultContent[], isError?: boolean): Sample => ({
  messages: [
    hello,
    { role: "assistant", parts: [{ type: "tool-call", kind: "function", id: "c", name: "find", input: "{}" }] },
    { role: "tool", parts: [{ type: "tool-result", callId: "c", parts, isError, path: "sample" }] },
  ],
});
const tools = (...added: Tool[]): Sample => ({ tools: [tool, ...added.map((one) => ({ ...one, path: "sample" }))] });
const vendor = (name: keyof NonNullable<ConversationRequest["vendorFields"]>, value: unknown): Sample => ({
  vendorFields: { [name]: value },
});
const text = (value: string): Part => ({ type: "text", text: value });
const data = (mediaType: string) => ({ type: "data", mediaType, base64: "AAAA" }) as const;
const url = { type: "url", url: "https://example.com/a" } as const;
const custom = { type: "custom", name: "write" } as const;
const schema = { type: "object", properties: {}, additionalProperties: false };

export const fieldSamples: Readonly<Record<FieldName, Sample>> = {
  instructions: { messages: [{ role: "system", parts: [text("Be kind.")], path: "sample" }, hello] },
  "instructions.midway": { messages: [hello, { role: "system", parts: [text("Be kind.")], path: "sample" }, hello] },
  "message.name": { messages: [{ ...hello, name: "ann", path: "sample" }] },
  "message.phase": { messages: [hello, { role: "assistant", parts: [text("Hm.")], phase: "commentary" }, hello] },
  "assistant.prefill": { messages: [hello, { role: "assistant", parts: [text("I")], path: "sample" }] },
  "assistant.last": {
    messages: [hello, { role: "assistant", parts: [text("I")], path: "sample" }],
    followsAssistant: true,
  },
  text: userPart(text("More.")),
  "image.data": userPart({ type: "image", source: data("image/png") }),
  "image.url": userPart({ type: "image", source: url }),
  "image.detail": userPart({ type: "image", source: data("image/png"), detail: "low" }),
  "document.data": userPart({ type: "document", source: data("application/pdf") }),
  "document.url": userPart({ type: "document", source: url }),
  "document.text": userPart({ type: "document", source: { type: "text", text: "Words." } }),
  "document.title": userPart({ type: "document", source: data("application/pdf"), title: "a.pdf" }),
  "document.context": userPart({ type: "document", source: data("application/pdf"), context: "A letter." }),
  "document.citations": userPart({ type: "document", source: data("application/pdf"), citations: true }),
  "audio.data": userPart({ type: "audio", source: data("audio/wav") }),
  "audio.url": userPart({ type: "audio", source: url }),
  "video.data": userPart({ type: "video", source: data("video/mp4") }),
  "video.url": userPart({ type: "video", source: url }),
  "file.openai": userPart({ type: "document", source: { type: "file", vendor: "openai", id: "f" } }),
  "file.anthropic": userPart({ type: "document", source: { type: "file", vendor: "anthropic", id: "f" } }),
  "file.google": userPart({ type: "document", source: { type: "file", vendor: "google", id: "f" } }),
  cache: userPart({ type: "text", text: "More.", cache: {} }),
  "cache.lifetime": userPart({ type: "text", text: "More.", cache: { lifetime: "1h" } }),
  citations: assistantParts({
    type: "text",
    text: "So.",
    citations: [{ native: { vendor: "anthropic", value: { type: "char_location" } } }],
  }),
  refusal: assistantParts({ type: "refusal", text: "No." }),
  toolCall: assistantParts({ type: "tool-call", kind: "function", id: "c", name: "find", input: "{}" }),
  "toolCall.custom": assistantParts({ type: "tool-call", kind: "custom", id: "c", name: "write", input: "a" }),
  toolResult: result([{ type: "text", text: "Found." }]),
  "toolResult.media": result([{ type: "image", source: data("image/png") }]),
  "toolResult.error": result([{ type: "text", text: "Found." }], true),
  "reasoning.unsigned": assistantParts({ type: "reasoning", text: "Hm." }, text("Yes.")),
  "reasoning.openai": assistantParts(
    { type: "reasoning", text: "Hm.", signature: { vendor: "openai", value: "s" }, id: "rs_1" },
    text("Yes."),
  ),
  "reasoning.anthropic": assistantParts(
    { type: "reasoning", text: "Hm.", signature: { vendor: "anthropic", value: "s" } },
    text("Yes."),
  ),
  "reasoning.google": assistantParts(
    { type: "reasoning", text: "Hm.", signature: { vendor: "google", value: "s" } },
    text("Yes."),
  ),
  "native.openai": userPart({ type: "native", vendor: "openai", value: { type: "x" } }),
  "native.anthropic": userPart({ type: "native", vendor: "anthropic", value: { type: "x" } }),
  "native.google": userPart({ type: "native", vendor: "google", value: { x: {} } }),
  tools: tools({ ...tool, name: "other" }),
  "tool.strict": { tools: [{ ...tool, strict: true, path: "sample" }] },
  "tool.custom": tools(custom),
  "tool.grammar": tools({ ...custom, format: { type: "grammar", syntax: "regex", definition: "a+" } }),
  "tool.openai": tools({ type: "native", vendor: "openai", value: { type: "web_search" } }),
  "tool.anthropic": tools({ type: "native", vendor: "anthropic", value: { type: "web_search_20260209" } }),
  "tool.google": tools({ type: "native", vendor: "google", value: { googleSearch: {} } }),
  "toolChoice.auto": { toolChoice: { type: "auto" } },
  "toolChoice.none": { toolChoice: { type: "none" } },
  "toolChoice.required": { toolChoice: { type: "required" } },
  "toolChoice.tool": { toolChoice: { type: "tool", kind: "function", name: "find" } },
  "toolChoice.allowed": { toolChoice: { type: "allowed", mode: "required", names: ["find"] } },
  "toolChoice.native": { toolChoice: { type: "native", vendor: "openai", value: { type: "web_search" } } },
  parallelToolCalls: { parallelToolCalls: false },
  "responseFormat.json": { responseFormat: { type: "json" } },
  "responseFormat.schema": { responseFormat: { type: "schema", schema } },
  "responseFormat.strict": { responseFormat: { type: "schema", schema, strict: true } },
  "reasoning.enabled": { reasoning: { enabled: true } },
  "reasoning.disabled": { reasoning: { enabled: false } },
  "reasoning.effort": { reasoning: { effort: "high" } },
  "reasoning.budget": { reasoning: { budgetTokens: 2_048 } },
  "reasoning.summary": { reasoning: { effort: "high", summary: "auto" } },
  verbosity: { verbosity: "low" },
  maxOutputTokens: { maxOutputTokens: 17 },
  temperature: { temperature: 0.5 },
  topP: { topP: 0.5 },
  topK: { topK: 5 },
  presencePenalty: { presencePenalty: 0.5 },
  frequencyPenalty: { frequencyPenalty: 0.5 },
  seed: { seed: 1 },
  stop: { stop: ["END"] },
  candidateCount: { candidateCount: 2 },
  logprobs: { logprobs: true },
  topLogprobs: { logprobs: true, topLogprobs: 2 },
  "modalities.output": { modalities: ["text", "audio"] },
  userId: { userId: "u" },
  safetyIdentifier: { safetyIdentifier: "s" },
  metadata: { metadata: { a: "b" } },
  serviceTier: { serviceTier: "standard" },
  cacheKey: { cacheKey: "k" },
  stream: { stream: true },
  unknown: { unknownFields: ["sample"] },
  "openai.logit_bias": vendor("openai.logit_bias", { "1": 1 }),
  "openai.prediction": vendor("openai.prediction", { type: "content", content: "a" }),
  "openai.audio": vendor("openai.audio", { voice: "alloy", format: "mp3" }),
  "openai.store": vendor("openai.store", true),
  "openai.prompt_cache_options": vendor("openai.prompt_cache_options", { mode: "implicit" }),
  "openai.prompt_cache_retention": vendor("openai.prompt_cache_retention", "24h"),
  "openai.moderation": vendor("openai.moderation", { model: "m" }),
  "openai.web_search_options": vendor("openai.web_search_options", {}),
  "openai.stream_obfuscation": { stream: true, ...vendor("openai.stream_obfuscation", true) },
  "openai.truncation": vendor("openai.truncation", "auto"),
  "openai.background": vendor("openai.background", true),
  "openai.include": vendor("openai.include", ["message.output_text.logprobs"]),
  "openai.max_tool_calls": vendor("openai.max_tool_calls", 3),
  "openai.conversation": vendor("openai.conversation", "conv_1"),
  "openai.prompt": vendor("openai.prompt", { id: "pmpt_1" }),
  "openai.context_management": vendor("openai.context_management", [{ type: "compaction" }]),
  "openai.reasoning_mode": vendor("openai.reasoning_mode", "pro"),
  "openai.reasoning_context": vendor("openai.reasoning_context", "auto"),
  "openai.access_programs": vendor("openai.access_programs", ["a"]),
  "openai.image": vendor("openai.image", {}),
  "anthropic.thread": vendor("anthropic.thread", { type: "create" }),
  "anthropic.compaction": vendor("anthropic.compaction", { type: "enabled" }),
  "anthropic.cache_control": vendor("anthropic.cache_control", { type: "ephemeral" }),
  "anthropic.container": vendor("anthropic.container", "c"),
  "anthropic.context_management": vendor("anthropic.context_management", { edits: [] }),
  "anthropic.diagnostics": vendor("anthropic.diagnostics", { previous_message_id: "m" }),
  "anthropic.inference_geo": vendor("anthropic.inference_geo", "eu"),
  "anthropic.mcp_servers": vendor("anthropic.mcp_servers", []),
  "anthropic.speed": vendor("anthropic.speed", "fast"),
  "anthropic.thinking_between_tools": vendor("anthropic.thinking_between_tools", true),
  "google.safetySettings": vendor("google.safetySettings", [
    { category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" },
  ]),
  "google.safetyOff": vendor("google.safetyOff", [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "OFF" }]),
  "google.continuationToken": vendor("google.continuationToken", "t"),
  "google.cachedContent": vendor("google.cachedContent", "cachedContents/1"),
  "google.labels": vendor("google.labels", { a: "b" }),
  "google.store": vendor("google.store", true),
  "google.speechConfig": vendor("google.speechConfig", {}),
  "google.mediaResolution": vendor("google.mediaResolution", "MEDIA_RESOLUTION_LOW"),
  "google.imageConfig": vendor("google.imageConfig", {}),
  "google.generationOptions": vendor("google.generationOptions", { audioTimestamp: true }),
  "google.toolOptions": vendor("google.toolOptions", { retrievalConfig: {} }),
};
