import { z } from "zod";

/** What the Open Responses specification requires of answers, as far as the cases can see it (schema/ of its repository). */

const count = z.int();
const nullable = (schema: z.ZodType) => z.union([schema, z.null()]);
const logprobs = z.array(z.looseObject({ token: z.string(), logprob: z.number() }));

const contentPart = z.union([
  z.looseObject({
    type: z.literal("output_text"),
    text: z.string(),
    annotations: z.array(z.looseObject({ type: z.string() })),
    logprobs,
  }),
  z.looseObject({ type: z.enum(["text", "summary_text", "reasoning_text"]), text: z.string() }),
  z.looseObject({ type: z.literal("refusal"), refusal: z.string() }),
]);

const itemStatus = z.enum(["in_progress", "completed", "incomplete"]);

const item = z.union([
  z.looseObject({
    type: z.literal("message"),
    id: z.string(),
    status: itemStatus,
    role: z.enum(["assistant", "user", "system", "developer"]),
    content: z.array(contentPart),
  }),
  z.looseObject({
    type: z.literal("function_call"),
    id: z.string(),
    call_id: z.string(),
    name: z.string(),
    arguments: z.string(),
    status: itemStatus,
  }),
  z.looseObject({
    type: z.literal("reasoning"),
    id: z.string(),
    summary: z.array(contentPart),
    content: z.array(contentPart).optional(),
    encrypted_content: z.string().optional(),
  }),
]);

const functionTool = z.looseObject({
  type: z.literal("function"),
  name: z.string(),
  description: nullable(z.string()),
  parameters: nullable(z.looseObject({})),
  strict: nullable(z.boolean()),
});

const usage = z.looseObject({
  input_tokens: count,
  output_tokens: count,
  total_tokens: count,
  input_tokens_details: z.looseObject({ cached_tokens: count }),
  output_tokens_details: z.looseObject({ reasoning_tokens: count }),
});

/** All members are required. */
export const responseResource = z.looseObject({
  id: z.string(),
  object: z.literal("response"),
  created_at: count,
  completed_at: nullable(count),
  status: z.string(),
  incomplete_details: nullable(z.looseObject({ reason: z.string() })),
  model: z.string(),
  previous_response_id: nullable(z.string()),
  instructions: nullable(z.string()),
  output: z.array(item),
  error: nullable(z.looseObject({ code: z.string(), message: z.string() })),
  tools: z.array(functionTool),
  tool_choice: z.union([z.enum(["none", "auto", "required"]), z.looseObject({ type: z.string() })]),
  truncation: z.enum(["auto", "disabled"]),
  parallel_tool_calls: z.boolean(),
  text: z.looseObject({ format: z.looseObject({ type: z.string() }) }),
  top_p: z.number(),
  presence_penalty: z.number(),
  frequency_penalty: z.number(),
  top_logprobs: count,
  temperature: z.number(),
  reasoning: nullable(z.looseObject({ effort: nullable(z.string()), summary: nullable(z.string()) })),
  usage: nullable(usage),
  max_output_tokens: nullable(count),
  max_tool_calls: nullable(count),
  store: z.boolean(),
  background: z.boolean(),
  service_tier: z.string(),
  metadata: z.looseObject({}),
  safety_identifier: nullable(z.string()),
  prompt_cache_key: nullable(z.string()),
});

const event = <Type extends string>(type: Type, members: z.ZodRawShape) =>
  z.looseObject({ type: z.literal(type), sequence_number: count, ...members });
const ofItem = { item_id: z.string(), output_index: count };
const ofPart = { ...ofItem, content_index: count };
const ofSummary = { ...ofItem, summary_index: count };

/** The events of a stream. Others are not part of the specification. */
export const streamEvent = z.discriminatedUnion("type", [
  event("response.created", { response: responseResource }),
  event("response.queued", { response: responseResource }),
  event("response.in_progress", { response: responseResource }),
  event("response.completed", { response: responseResource }),
  event("response.failed", { response: responseResource }),
  event("response.incomplete", { response: responseResource }),
  event("response.output_item.added", { output_index: count, item: nullable(item) }),
  event("response.output_item.done", { output_index: count, item: nullable(item) }),
  event("response.content_part.added", { ...ofPart, part: contentPart }),
  event("response.content_part.done", { ...ofPart, part: contentPart }),
  event("response.output_text.delta", { ...ofPart, delta: z.string(), logprobs }),
  event("response.output_text.done", { ...ofPart, text: z.string(), logprobs }),
  event("response.refusal.delta", { ...ofPart, delta: z.string() }),
  event("response.refusal.done", { ...ofPart, refusal: z.string() }),
  event("response.function_call_arguments.delta", { ...ofItem, delta: z.string() }),
  event("response.function_call_arguments.done", { ...ofItem, arguments: z.string() }),
  event("response.reasoning_summary_part.added", { ...ofSummary, part: contentPart }),
  event("response.reasoning_summary_part.done", { ...ofSummary, part: contentPart }),
  event("response.reasoning_summary_text.delta", { ...ofSummary, delta: z.string() }),
  event("response.reasoning_summary_text.done", { ...ofSummary, text: z.string() }),
]);
