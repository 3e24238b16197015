import type { Call } from "../dialect.ts";
import { listOrEmpty, type JsonObject } from "../json.ts";
import { integer, invalidValue, missing, oneOf, optional, text } from "../openai-chat/check-value.ts";
import { chatError } from "../openai-chat/errors.ts";
import { parseBody } from "../openai-chat/parse-body.ts";
import { promptOfTexts } from "../prompt.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { countTokens } from "../tokens.ts";
import { embed, toBase64 } from "../vector.ts";

const maxInputs = 2048;
const maxTokens = 8192;
const defaultDimensions = 64;
const parameters = ["dimensions", "encoding_format", "input", "model", "sandbox", "user"];

/** A text, or its tokens. */
type Input = string | readonly number[];

/** Reads an embeddings request. Throws OpenAI's error if it is invalid. */
export function readEmbeddingsCall(body: string): Call {
  const request = parseBody(body);
  checkRequest(request);
  const inputs = readInputs(request["input"]);
  const refuseStream = () => {
    throw invalidValue("stream", "Embeddings are not streamed.");
  };
  return {
    prompt: promptOfTexts(String(request["model"]), [inputs.map(String).join("\n")]),
    stream: false,
    directives: request["sandbox"],
    check() {},
    writeJson: (reply, script) => JSON.stringify(writeEmbeddings(reply, script, request, inputs)),
    streamContentType: "text/event-stream",
    writeStream: refuseStream,
    errorFrame: (failure) => ({ data: JSON.stringify(chatError(failure)) }),
  };
}

function checkRequest(request: JsonObject): void {
  const unknown = Object.keys(request).find((name) => !parameters.includes(name));
  if (unknown !== undefined) {
    throw invalidValue(unknown, `Unknown parameter: '${unknown.slice(0, 100)}'.`, "unknown_parameter");
  }
  if (request["model"] === undefined) throw missing("model");
  text(request["model"], "model");
  optional(integer(1, 4096))(request["dimensions"], "dimensions");
  optional(oneOf("float", "base64"))(request["encoding_format"], "encoding_format");
}

function readInputs(value: unknown): readonly Input[] {
  if (value === undefined || value === null) throw missing("input");
  const inputs = typeof value === "string" || isTokens(value) ? [value] : listOrEmpty(value);
  if (inputs.length === 0 || inputs.length > maxInputs) {
    throw invalidValue("input", `Invalid 'input': expected 1 to ${maxInputs} items, but got ${inputs.length} instead.`);
  }
  return inputs.map((input, index) => {
    if (!isTokens(input)) text(input, `input[${index}]`);
    const readable = input as Input;
    if (readable.length === 0) throw invalidValue("input", "'$.input' is invalid: an input cannot be an empty string.");
    if (tokensOf(readable) <= maxTokens) return readable;
    const message = `Invalid 'input[${index}]': maximum input length is ${maxTokens} tokens.`;
    throw invalidValue("input", message);
  });
}

function isTokens(value: unknown): value is readonly number[] {
  return Array.isArray(value) && value.length > 0 && value.every((token) => Number.isInteger(token) && token >= 0);
}

function tokensOf(input: Input): number {
  return typeof input === "string" ? countTokens(input) : input.length;
}

function writeEmbeddings(reply: Reply, script: Script, request: JsonObject, inputs: readonly Input[]): unknown {
  const dimensions = typeof request["dimensions"] === "number" ? request["dimensions"] : defaultDimensions;
  const data = inputs.map((input, index) => {
    const vector = embed(String(input), dimensions);
    const embedding = request["encoding_format"] === "base64" ? toBase64(vector) : [...vector];
    return { object: "embedding", index, embedding };
  });
  return { object: "list", data, model: reply.model, usage: writeUsage(script, inputs) };
}

function writeUsage({ usage, tokens }: Script, inputs: readonly Input[]): unknown {
  if (usage === null || usage === "none") return undefined;
  if (typeof usage === "object") return usage;
  const read = tokens?.input ?? inputs.reduce((sum, input) => sum + tokensOf(input), 0);
  return { prompt_tokens: read, total_tokens: read };
}
