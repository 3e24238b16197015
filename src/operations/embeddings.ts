import type { Exchange } from "../dialects/exchange.ts";
import type { Member } from "../json/top-level.ts";
import type { JsonObject } from "../json/values.ts";
import { estimateTokens } from "../metering/estimate.ts";
import type { OperationInput } from "./operation.ts";

/** One text to embed, or the tokens of one. */
export type EmbeddingsInput = string | readonly number[];

/** An embeddings request that has been read and checked, with the text it was read from. */
export interface EmbeddingsRequest extends OperationInput {
  /** The body as the caller wrote it. */
  readonly text: string;
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly inputs: readonly EmbeddingsInput[];
  readonly dimensions: number | undefined;
  readonly encoding: "float" | "base64";
}

/** Puts an embeddings request to a provider. @param model the provider's own name. Throws a 400 that names the field. */
export type EmbeddingsProvider = (request: EmbeddingsRequest, model: string) => Exchange | Promise<Exchange>;

/** A quick figure of the tokens to embed. */
export function quickEmbeddingTokens({ inputs }: EmbeddingsRequest): number {
  return inputs.reduce(
    (sum, input) => sum + (typeof input === "string" ? Math.ceil(Buffer.byteLength(input) / 4) : input.length),
    0,
  );
}

/** A careful figure of the tokens to embed. */
export async function estimateEmbeddingTokens({ inputs }: EmbeddingsRequest): Promise<number> {
  const texts = inputs.filter((input) => typeof input === "string");
  const tokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
  return tokens + (await estimateTokens(texts.join("\n")));
}
