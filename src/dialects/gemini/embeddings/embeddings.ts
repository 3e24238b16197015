import type { ReportedUsage } from "../../../conversation/usage.ts";
import { isObject, type JsonObject } from "../../../json/values.ts";
import { AnswerFault } from "../../exchange.ts";
import { readGeminiError } from "../errors.ts";
import { modelPath } from "../fields.ts";
import { readGeminiUsage } from "../usage.ts";

export interface EmbeddingsRequest {
  /** The provider's own name of the model. */
  readonly model: string;
  readonly inputs: readonly string[];
  readonly dimensions?: number | undefined;
}

/** Writes a `:batchEmbedContents` request, below the provider's base URL. */
export function encodeEmbeddingsRequest({ model, inputs, dimensions }: EmbeddingsRequest): {
  path: string;
  body: JsonObject;
} {
  const path = modelPath(model);
  const name = decodeURI(path.slice("/v1beta/".length));
  const requests = inputs.map((text) => ({
    model: name,
    content: { parts: [{ text }] },
    outputDimensionality: dimensions,
  }));
  return { path: `${path}:batchEmbedContents`, body: { requests } };
}

export interface EmbeddingsAnswer {
  /** One vector an input, in their order. */
  readonly embeddings: readonly (readonly number[])[];
  /** Null if the provider reports none, as its older models do. */
  readonly usage: ReportedUsage | null;
}

/** Reads the answer to as many inputs. Throws an `AnswerFault` if it is not one. */
export function decodeEmbeddingsAnswer(body: unknown, inputCount: number): EmbeddingsAnswer {
  const error = readGeminiError(body);
  if (error !== null) throw new AnswerFault("The provider reported an error in place of an answer.", error);
  if (!isObject(body) || !Array.isArray(body.embeddings) || body.embeddings.length !== inputCount) {
    throw new AnswerFault("The provider's answer does not hold an embedding for each input.");
  }
  return { embeddings: body.embeddings.map(valuesOf), usage: readGeminiUsage(body.usageMetadata) };
}

function valuesOf(embedding: unknown): readonly number[] {
  const values: unknown = isObject(embedding) ? embedding.values : null;
  if (!Array.isArray(values) || !values.every((value) => typeof value === "number")) {
    throw new AnswerFault("The provider's answer holds an embedding that is not a list of numbers.");
  }
  return values;
}
