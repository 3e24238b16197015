import { z } from "zod";
import { faultSchema } from "./fault.ts";
import { headersSchema, milliseconds, smallCount } from "./script-limits.ts";

/** The shapes in which vendors report usage. README.md shows each. */
export const usageVariants = [
  "openai",
  "openai_cache_write",
  "deepseek",
  "xai",
  "mistral",
  "moonshot",
  "groq",
  "alibaba",
  "openrouter",
  "prompt_only",
  "completion_only",
  "none",
  "strings",
  "zeros",
] as const;

export type UsageVariant = (typeof usageVariants)[number];

const toolCallSchema = z.strictObject({
  /** Made up from the request when left out. */
  id: z.string().optional(),
  name: z.string(),
  /** A string is written as it is, valid JSON or not. */
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
});

const framingSchema = z.strictObject({
  /** How the bytes are cut into writes: byte by byte, inside every multi-byte character, all in one, or every n bytes. */
  split: z.union([z.enum(["bytes", "utf8", "merge"]), z.int().min(1).max(1_048_576)]).optional(),
  /** What ends a line of an event stream. */
  newline: z.enum(["lf", "crlf", "cr"]).optional(),
  /** Each JSON event is spread over several `data:` lines. */
  multi_line: z.boolean().optional(),
  /** A comment line before each event. */
  comments: z.boolean().optional(),
  /** `data:{...}` instead of `data: {...}`. */
  no_space: z.boolean().optional(),
});

/** Exact token counts, in place of counted ones. `input` includes both cache counts; `output` includes reasoning. */
const tokensSchema = z.strictObject({
  input: smallCount.optional(),
  cache_read: smallCount.optional(),
  cache_write: smallCount.optional(),
  output: smallCount.optional(),
  reasoning: smallCount.optional(),
});

const turnSchema = z.strictObject({
  text: z.string().optional(),
  reasoning: z.string().optional(),
  /** The field in which a chat answer carries reasoning. */
  reasoning_field: z.enum(["reasoning_content", "reasoning"]).optional(),
  refusal: z.string().optional(),
  tool_calls: z.array(toolCallSchema).max(128).optional(),
  /** Written as it is; null: none is given. */
  finish_reason: z.string().nullable().optional(),
  /** The answer's id. */
  id: z.string().max(200).optional(),
  /** Headers added to the answer. */
  headers: headersSchema.optional(),
  /** A variant by name, an object to be written as it is, or null for none. */
  usage: z
    .union([z.enum(usageVariants), z.record(z.string(), z.unknown())])
    .nullable()
    .optional(),
  tokens: tokensSchema.optional(),
  /** Where a stream carries usage. Given: it is sent whether or not it was asked for. */
  usage_place: z.enum(["empty_choices", "no_choices", "last_choice"]).optional(),
  /** Before the headers. */
  latency_ms: milliseconds.optional(),
  /** Between the headers and the body's first byte. */
  first_byte_ms: milliseconds.optional(),
  /** Between two events of a stream. */
  chunk_delay_ms: milliseconds.optional(),
  /** Into how many pieces a stream cuts the text, or the very pieces (which are then the text). */
  chunks: z.union([z.int().min(1).max(100_000), z.array(z.string()).max(100_000)]).optional(),
  framing: framingSchema.optional(),
  /** A stream was asked for; JSON is answered. */
  ignore_stream: z.boolean().optional(),
  /** JSON was asked for; a stream is answered. */
  force_stream: z.boolean().optional(),
  /** The stream ends without its terminal event. */
  no_done: z.boolean().optional(),
  /** Refuse unknown parameters, and JSON mode without the word "json". */
  strict: z.boolean().optional(),
  fault: faultSchema.optional(),
});

/**
 * What a scripted upstream says and how it behaves, in no vendor's words. Everything is optional; what is left out
 * follows from the request. Times are milliseconds. README.md explains every field.
 */
export const scriptSchema = turnSchema.extend({
  /** One script for each step of a tool loop: the first answers the user, the next the first tool results, and so on. */
  turns: z.array(turnSchema).max(100).optional(),
});

export type Script = z.input<typeof scriptSchema>;
export type Framing = z.infer<typeof framingSchema>;
