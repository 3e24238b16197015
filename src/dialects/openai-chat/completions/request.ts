import { invalidParameter, missingParameter } from "../../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import { readJsonObject } from "../../../json/read-object.ts";
import type { Member } from "../../../json/top-level.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import type { OperationInput, ReadContext } from "../../../operations/operation.ts";
import type { AnswerContext } from "../../codec.ts";
import { readModelName } from "../../fields/model-name.ts";
import { optionalBoolean, optionalInteger, optionalNumber } from "../../fields/read-field.ts";

/** A request to complete texts that has been read and checked, with the text it was read from. */
export interface CompletionsInput extends OperationInput {
  /** The body as the caller wrote it. */
  readonly text: string;
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly prompts: readonly Prompt[];
  /** How many answers to all prompts together, those that are only compared (`best_of`) included. */
  readonly answers: number;
  readonly maxTokens: number | undefined;
  readonly temperature: number | undefined;
  readonly context: AnswerContext;
}

/** A text, or the tokens of one. */
export type Prompt = string | readonly number[];

/** Fields that may differ in what goes up. */
export const changeable: ReadonlySet<string> = new Set(["model", "stream_options"]);

/** Fields that the gateway reads, or that cost money. */
const knownFields = fieldNames(
  "model prompt stream stream_options max_tokens n_predict n best_of temperature suffix echo".split(" "),
);

/** The vendors' limits are lower: these keep a request from costing more memory than its body. */
const maxPrompts = 2_048;
const maxAnswersPerPrompt = 128;

/** Reads the body of `POST /v1/completions`. Throws a 400 that names the field. */
export function readCompletionsRequest(text: string, { requestId, now }: ReadContext): CompletionsInput {
  const { body, members } = readJsonObject(text, changeable);
  refuseOtherCase(body, knownFields);
  const { stream_options: options } = body;
  if (options !== undefined && options !== null && !isObject(options)) {
    throw invalidParameter("stream_options", "an object");
  }
  optionalBoolean(options?.include_usage, "stream_options.include_usage");
  const prompts = readPrompts(body.prompt);
  const perPrompt = Math.max(countOf(body, "n", 1), countOf(body, "best_of", 1));
  const llamaCpp = tokenLimit(body, "n_predict");
  const maxTokens = tokenLimit(body, "max_tokens") ?? llamaCpp;
  const model = readModelName(body.model);
  return {
    model,
    stream: optionalBoolean(body.stream, "stream") ?? false,
    text,
    members,
    body,
    prompts,
    answers: prompts.length * perPrompt,
    maxTokens,
    maxOutputTokens: maxTokens,
    temperature: optionalNumber(body.temperature, "temperature"),
    context: {
      callerBody: body,
      model,
      fallbackId: requestId.slice("req_".length),
      created: Math.floor(now / 1000),
      // No stream of this dialect has it at its start.
      estimatedInputTokens: 0,
    },
  };
}

function tokenLimit(body: JsonObject, field: string): number | undefined {
  const limit = optionalInteger(body[field], field);
  if (limit !== undefined && limit < 0) throw invalidParameter(field, "a whole number of at least 0");
  return limit;
}

function countOf(body: JsonObject, field: string, fallback: number): number {
  const count = optionalInteger(body[field], field) ?? fallback;
  if (count < 1 || count > maxAnswersPerPrompt) {
    throw invalidParameter(field, `a whole number from 1 to ${maxAnswersPerPrompt}`);
  }
  return count;
}

function readPrompts(value: unknown): Prompt[] {
  if (value === undefined || value === null) throw missingParameter("prompt");
  if (typeof value === "string" || isTokens(value)) return [value];
  if (!Array.isArray(value))
    throw invalidParameter("prompt", "a string, or an array of strings, tokens or token arrays");
  if (value.length === 0 || value.length > maxPrompts) throw invalidParameter("prompt", `1 to ${maxPrompts} items`);
  return value.map((item: unknown, index) => {
    if (typeof item === "string" || isTokens(item)) return item;
    throw invalidParameter(`prompt[${index}]`, "a string or an array of tokens");
  });
}

/** Whether a value is a list of tokens. An empty list is none: it might be a list of texts. */
function isTokens(value: unknown): value is readonly number[] {
  if (!Array.isArray(value) || typeof value[0] !== "number") return false;
  return value.every((token) => Number.isInteger(token) && token >= 0);
}
