import { z } from "zod";
import { jobSchema } from "../jobs/job-script.ts";
import { faultSchema } from "./fault.ts";
import { headersSchema, milliseconds, smallCount } from "./script-limits.ts";

/** The formats in which vendors report usage. See README.md. */
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
  /** Default: derived from the request. */
  id: z.string().optional(),
  name: z.string(),
  /** A string is written unchanged, even if it is not valid JSON. */
  arguments: z.union([z.string(), z.record(z.string(), z.unknown())]).default({}),
});

const framingSchema = z.strictObject({
  /** How bytes are split into writes: single bytes, inside multi-byte characters, all in one, or every n bytes. */
  split: z.union([z.enum(["bytes", "utf8", "merge"]), z.int().min(1).max(1_048_576)]).optional(),
  /** The line end of an event stream. */
  newline: z.enum(["lf", "crlf", "cr"]).optional(),
  /** Each JSON event is spread over several `data:` lines. */
  multi_line: z.boolean().optional(),
  /** A comment line before each event. */
  comments: z.boolean().optional(),
  /** `data:{...}` instead of `data: {...}`. */
  no_space: z.boolean().optional(),
});

/** Exact token counts, instead of computed ones. `input` includes both cache counts; `output` includes reasoning. */
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
  /** The field with the reasoning in a chat answer. */
  reasoning_field: z.enum(["reasoning_content", "reasoning"]).optional(),
  refusal: z.string().optional(),
  tool_calls: z.array(toolCallSchema).max(128).optional(),
  /** Written unchanged; null: none. */
  finish_reason: z.string().nullable().optional(),
  /** The answer's id. */
  id: z.string().max(200).optional(),
  /** Headers added to the answer. */
  headers: headersSchema.optional(),
  /** The name of a variant, an object to be written unchanged, or null for none. */
  usage: z
    .union([z.enum(usageVariants), z.record(z.string(), z.unknown())])
    .nullable()
    .optional(),
  tokens: tokensSchema.optional(),
  /** The place of usage in a stream. If given, usage is sent even if it was not requested. */
  usage_place: z.enum(["empty_choices", "no_choices", "last_choice"]).optional(),
  /** Delay before the headers. */
  latency_ms: milliseconds.optional(),
  /** Delay between the headers and the first byte of the body. */
  first_byte_ms: milliseconds.optional(),
  /** Delay between two events of a stream. */
  chunk_delay_ms: milliseconds.optional(),
  /** The number of chunks of the text, or the chunks themselves (which are then the text). */
  chunks: z.union([z.int().min(1).max(100_000), z.array(z.string()).max(100_000)]).optional(),
  framing: framingSchema.optional(),
  /** Answers a streaming request with JSON. */
  ignore_stream: z.boolean().optional(),
  /** Answers a JSON request with a stream. */
  force_stream: z.boolean().optional(),
  /** The stream ends without its terminal event. */
  no_done: z.boolean().optional(),
  /** Reject unknown parameters, and JSON mode without the word "json". */
  strict: z.boolean().optional(),
  fault: faultSchema.optional(),
  /** How a job goes on that the request begins. */
  job: jobSchema.optional(),
  /** What an image is in place of one. */
  picture: z.enum(["truncated", "html", "svg"]).optional(),
  /** How many images are delivered, if fewer than were asked for. */
  pictures: smallCount.optional(),
  /** A smaller image is filled up to so many bytes. */
  picture_bytes: z.int().min(0).max(33_554_432).optional(),
  /** The address of every image, in place of the sandbox's own. */
  picture_url: z.string().max(8192).optional(),
});

/**
 * The answer and behaviour of a scripted upstream, independent of a vendor. All fields are optional; the defaults
 * depend on the request. Times are milliseconds. See README.md.
 */
export const scriptSchema = turnSchema.extend({
  /** One script for each step of a tool loop: for the user's message, for the first tool results, and so on. */
  turns: z.array(turnSchema).max(100).optional(),
});

export type Script = z.input<typeof scriptSchema>;
export type Framing = z.infer<typeof framingSchema>;
