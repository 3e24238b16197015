import type { Exchange } from "../dialects/exchange.ts";
import { decodeEmbeddingsAnswer, encodeEmbeddingsRequest } from "../dialects/gemini/embeddings.ts";
import { readGeminiError } from "../dialects/gemini/errors.ts";
import { encodeEmbeddings, observeEmbeddings, type EmbeddingsRequest } from "../dialects/openai-chat/embeddings.ts";
import { noteUnknown } from "../dialects/unknown-fields.ts";
import { parseAnswer, wholeOnly } from "../dialects/whole-only.ts";
import { sumOf } from "../dimensions.ts";
import { unsupportedParameter } from "../errors.ts";

/** Google's limit of one batch. */
const mostInputs = 100;

const carriedFields = "model input dimensions encoding_format";

/**
 * Puts an embeddings request to Gemini, as one batch. Gemini reads texts only, and older models of its do not say how
 * many tokens they read: the caller is told `estimatedTokens` then, as the record is. Throws a 400 that names `input`.
 */
export function embedThroughGemini(request: EmbeddingsRequest, model: string, estimatedTokens: number): Exchange {
  const { inputs, dimensions } = request;
  if (inputs.length > mostInputs) {
    throw unsupportedParameter("input", `This provider takes at most ${mostInputs} inputs in one request.`);
  }
  const { path, body } = encodeEmbeddingsRequest({ model, inputs: inputs.map(textOf), dimensions });
  const warnings: string[] = [];
  noteUnknown(request.body, carriedFields, "", warnings);
  return wholeOnly({
    request: {
      dialect: "gemini",
      method: "POST",
      path,
      headers: { "content-type": "application/json" },
      body: JSON.stringify(body),
    },
    warnings,
    readError: readGeminiError,
    readWhole(answer) {
      const { embeddings, usage } = decodeEmbeddingsAnswer(parseAnswer(answer), inputs.length);
      const isReported = usage !== null && usage.input !== "none";
      const read = isReported ? sumOf(usage.quantities, "token", "input") : estimatedTokens;
      return {
        body: JSON.stringify(encodeEmbeddings(embeddings, request, read)),
        observation: observeEmbeddings(usage),
      };
    },
  });
}

function textOf(input: EmbeddingsRequest["inputs"][number]): string {
  if (typeof input === "string") return input;
  throw unsupportedParameter("input", "This provider embeds texts only, not arrays of tokens.");
}
