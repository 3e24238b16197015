import { sumOf } from "../../../dimensions.ts";
import { unsupportedParameter } from "../../../errors.ts";
import {
  type EmbeddingsProvider,
  type EmbeddingsRequest,
  estimateEmbeddingTokens,
} from "../../../operations/embeddings.ts";
import { encodeEmbeddings, observeEmbeddings } from "../../openai-chat/embeddings.ts";
import { parseBody, parseLargeBody } from "../../exchanges/through-neutral.ts";
import { nextTurn } from "../../../next-turn.ts";
import type { WholeAnswer } from "../../exchange.ts";
import { noteUnknown } from "../../fields/unknown-fields.ts";
import { wholeOnly } from "../../exchanges/whole-only.ts";
import { decodeEmbeddingsAnswer, encodeEmbeddingsRequest } from "./embeddings.ts";
import { decodeGeminiError } from "../errors.ts";

/** Google's limit of one batch. */
const maxInputs = 100;

const carriedFields = "model input dimensions encoding_format";

/**
 * Puts an embeddings request to Gemini, as one batch. Gemini reads texts only, and its older models do not say how many
 * tokens they read: the caller then gets an estimate, as does the record. Throws a 400 that names `input`.
 */
export const embeddingsProvider: EmbeddingsProvider = async (request, model) => {
  const { inputs, dimensions } = request;
  const estimatedTokens = await estimateEmbeddingTokens(request);
  // It may be large: the estimate copies all texts, and so does what follows.
  await nextTurn();
  if (inputs.length > maxInputs) {
    throw unsupportedParameter("input", `This provider takes at most ${maxInputs} inputs in one request.`);
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
    readError: decodeGeminiError,
    readWhole: (answer) => translated(parseBody(answer)),
    readLarge: async (answer) => translated(await parseLargeBody(answer)),
  });

  function translated(answer: unknown): WholeAnswer {
    const { embeddings, usage } = decodeEmbeddingsAnswer(answer, inputs.length);
    const isReported = usage !== null && usage.input !== "none";
    const read = isReported ? sumOf(usage.quantities, "token", "input") : estimatedTokens;
    return {
      body: JSON.stringify(encodeEmbeddings(embeddings, request, read)),
      observation: observeEmbeddings(usage),
    };
  }
};

function textOf(input: EmbeddingsRequest["inputs"][number]): string {
  if (typeof input === "string") return input;
  throw unsupportedParameter("input", "This provider embeds texts only, not arrays of tokens.");
}
