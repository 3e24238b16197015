import type { ReportedUsage } from "../../conversation/usage.ts";
import { invalidParameter, missingParameter } from "../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../json/field-names.ts";
import { readJsonObject } from "../../json/read-object.ts";
import { withMembers } from "../../json/top-level.ts";
import { withoutMembers } from "../../json/without-members.ts";
import { isObject, type JsonObject } from "../../json/values.ts";
import { jsonText } from "../../operations/conversation.ts";
import {
  type EmbeddingsInput,
  type EmbeddingsProvider,
  type EmbeddingsRequest,
  estimateEmbeddingTokens,
  expectEmbeddings,
} from "../../operations/embeddings.ts";
import type { Operation } from "../../operations/operation.ts";
import { AnswerFault, type DialectName, type Observation } from "../exchange.ts";
import { readModelName } from "../fields/model-name.ts";
import { optionalInteger, optionalString, optionalWord } from "../fields/read-field.ts";
import { parseBody } from "../exchanges/through-neutral.ts";
import { wholeOnly } from "../exchanges/whole-only.ts";
import { embeddingsExchange } from "../../operations/embeddings-exchange.ts";
import { openaiAttribution } from "./attribution.ts";
import { openaiErrorFormat, readError } from "./errors.ts";
import { readUsage } from "./usage.ts";

/** `POST /v1/embeddings` */
export const embeddings: Operation<EmbeddingsRequest> = {
  endpoint: "embeddings",
  paths: ["/v1/embeddings"],
  method: "POST",
  body: "json",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  read: (body) => readEmbeddingsRequest(jsonText(body)),
  expectedUsage: expectEmbeddings,
  // The context length of an embedding model is that of each of the inputs, which the provider knows how to cut.
  size: () => 0,
  estimateInput: estimateEmbeddingTokens,
  attribution: ({ body }) => openaiAttribution(body),
  exchange: embeddingsExchange,
};

/** OpenAI's limits of one request. Those of tokens are held against tokens alone: a text's are the provider's to count. */
const maxInputs = 2_048;
const maxTokensPerInput = 8_192;
const maxTokens = 300_000;

const changeable: ReadonlySet<string> = new Set(["model"]);
const knownFields = fieldNames(["model", "input", "dimensions", "encoding_format", "user"]);

/** Reads the body of an embeddings request. Throws a 400 that names the field. */
export function readEmbeddingsRequest(text: string): EmbeddingsRequest {
  const { body, members } = readJsonObject(text, changeable);
  refuseOtherCase(body, knownFields);
  const model = readModelName(body.model);
  const inputs = readInputs(body.input);
  const dimensions = optionalInteger(body.dimensions, "dimensions");
  if (dimensions !== undefined && dimensions < 1) throw invalidParameter("dimensions", "a whole number of at least 1");
  const encoding = optionalWord(body.encoding_format, "encoding_format", ["float", "base64"]) ?? "float";
  optionalString(body.user, "user");
  return { model, stream: false, text, members, body, inputs, dimensions, encoding };
}

function readInputs(value: unknown): EmbeddingsInput[] {
  if (value === undefined || value === null) throw missingParameter("input");
  if (typeof value === "string") return [readInput(value, "input")];
  if (!Array.isArray(value))
    throw invalidParameter("input", "a string, or an array of strings, tokens or token arrays");
  if (typeof value[0] === "number") return [readInput(value, "input")];
  if (value.length === 0 || value.length > maxInputs) throw invalidParameter("input", `1 to ${maxInputs} items`);
  const inputs = value.map((item: unknown, index) => readInput(item, `input[${index}]`));
  const tokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
  if (tokens > maxTokens) throw invalidParameter("input", `at most ${maxTokens} tokens in all`);
  return inputs;
}

function readInput(value: unknown, path: string): EmbeddingsInput {
  if (typeof value === "string") {
    if (value === "") throw invalidParameter(path, "a text that is not empty");
    return value;
  }
  if (!Array.isArray(value)) throw invalidParameter(path, "a string or an array of tokens");
  if (value.length === 0 || value.length > maxTokensPerInput) {
    throw invalidParameter(path, `1 to ${maxTokensPerInput} tokens`);
  }
  const odd = value.findIndex((token) => !Number.isInteger(token) || token < 0);
  if (odd >= 0) throw invalidParameter(`${path}[${odd}]`, "a token, which is a whole number of at least 0");
  return value;
}

/** Puts a request to a provider of the same shape: the body goes up as it was written, save the model's name. */
export function embeddingsProvider(dialect: DialectName): EmbeddingsProvider {
  return (request, model) =>
    wholeOnly({
      request: {
        dialect,
        method: "POST",
        path: "/embeddings",
        headers: { "content-type": "application/json" },
        body: withMembers(request.text, request.members, { model: JSON.stringify(model) }),
      },
      warnings: [],
      readError,
      maxAnswerBytes,
      readWhole(body) {
        const answer = parseBody(withoutMembers(body, "embedding"));
        const error = readError(answer);
        if (error) throw new AnswerFault("The provider answered with an error.", error);
        if (!isObject(answer) || !Array.isArray(answer.data) || answer.data.length !== request.inputs.length) {
          throw new AnswerFault("The provider's answer does not hold an embedding for each input.");
        }
        return { body, observation: observeEmbeddings(readUsage(answer.usage)) };
      },
    });
}

/** Vectors of a thousand long texts, in decimals. */
const maxAnswerBytes = 256 << 20;

/** The usage of an embeddings answer, which has no id and no output. */
export function observeEmbeddings(usage: ReportedUsage | null): Observation {
  return { responseId: null, usage: usage && withoutOutput(usage), producedText: () => "" };
}

function withoutOutput(usage: ReportedUsage): ReportedUsage {
  return { ...usage, quantities: { ...usage.quantities, output: 0 }, output: "final" };
}

/** Vectors in the shape of `POST /v1/embeddings`. `promptTokens` is what was read. */
export function encodeEmbeddings(
  vectors: readonly (readonly number[])[],
  { model, encoding }: EmbeddingsRequest,
  promptTokens: number,
): JsonObject {
  return {
    object: "list",
    data: vectors.map((vector, index) => ({
      object: "embedding",
      index,
      embedding: encoding === "base64" ? base64Floats(vector) : vector,
    })),
    model,
    usage: { prompt_tokens: promptTokens, total_tokens: promptTokens },
  };
}

/** 32-bit floats, little-endian. */
function base64Floats(vector: readonly number[]): string {
  const bytes = Buffer.alloc(vector.length * 4);
  vector.forEach((value, index) => bytes.writeFloatLE(value, index * 4));
  return bytes.toString("base64");
}
