import type { Exchange } from "../dialects/exchange.ts";
import type { Member } from "../json/top-level.ts";
import type { JsonObject } from "../json/values.ts";
import { toQuantity } from "../dimensions.ts";
import { estimateTokens, quickTextTokens } from "../metering/estimate.ts";
import type { ExpectedUsage } from "../metering/expected-usage.ts";

/** One text to embed, or the tokens of one. */
export type EmbeddingsInput = string | readonly number[];

/** An embeddings request that has been read and checked, with the text it was read from. */
export interface EmbeddingsRequest {
  readonly model: string;
  readonly stream: false;
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

/** The expected usage of an embeddings request. */
export function expectEmbeddings({ inputs }: EmbeddingsRequest): ExpectedUsage {
  return {
    expected: { input: toQuantity(sumOver(inputs, quickTextTokens)) },
    // Some models put a token before and behind each text.
    max: () => ({ input: toQuantity(sumOver(inputs, (text) => Buffer.byteLength(text) + 2)) }),
    writes: null,
  };
}

/** A careful figure of the tokens to embed. */
export async function estimateEmbeddingTokens({ inputs }: EmbeddingsRequest): Promise<number> {
  const texts = inputs.filter((input) => typeof input === "string");
  return sumOver(inputs, () => 0) + (await estimateTokens(texts.join("\n")));
}

/** Given tokens are counted as they are, those of a text by `count`. */
function sumOver(inputs: EmbeddingsRequest["inputs"], count: (text: string) => number): number {
  return inputs.reduce((sum, input) => sum + (typeof input === "string" ? count(input) : input.length), 0);
}
