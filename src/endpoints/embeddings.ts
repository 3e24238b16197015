import {
  passThroughEmbeddings,
  readEmbeddingsRequest,
  type EmbeddingsRequest,
} from "../dialects/openai-chat/embeddings.ts";
import { toQuantity } from "../dimensions.ts";
import { invalidRequest } from "../errors.ts";
import { estimateTokens, quickTextTokens } from "../metering/estimate.ts";
import type { Endpoint, EndpointInput } from "../pipeline/endpoint.ts";
import type { Provider } from "../upstream/provider.ts";
import { embedThroughGemini } from "./embeddings-gemini.ts";
import { openaiVoice } from "./openai-voice.ts";

interface EmbeddingsCall extends EmbeddingsRequest, EndpointInput {}

/** `POST /v1/embeddings` */
export const embeddings: Endpoint<EmbeddingsCall> = {
  name: "embeddings",
  keyHeader: null,
  voice: openaiVoice,
  read: (text) => ({ ...readEmbeddingsRequest(text), stream: false }),
  checkModel(_, model) {
    if (model.targets.some(({ provider }) => embeds(provider))) return;
    const message = `No provider of the model '${model.id}' can embed.`;
    throw invalidRequest("unsupported_endpoint", message, "model");
  },
  expectedUsage: ({ inputs }) => ({
    expected: { input: toQuantity(sumOver(inputs, quickTextTokens)) },
    // Some models put a token before and behind each text.
    max: () => ({ input: toQuantity(sumOver(inputs, (text) => Buffer.byteLength(text) + 2)) }),
    writes: null,
  }),
  // The context length of an embedding model is that of each of the inputs, which the provider knows how to cut.
  size: () => 0,
  estimateInput: estimateInputs,
  async exchange(input, { provider, model }) {
    if (!embeds(provider)) return null;
    const dialect = provider.dialects.find((name) => name === "openai-chat" || name === "openai-responses");
    if (dialect) return passThroughEmbeddings(input, model, dialect);
    return embedThroughGemini(input, model, await estimateInputs(input));
  },
};

/** Anthropic has no embeddings. */
function embeds({ dialects }: Provider): boolean {
  return dialects.some((name) => name !== "anthropic-messages");
}

/** Tokens are their own count; those of a text are as `count` says. */
function sumOver(inputs: EmbeddingsRequest["inputs"], count: (text: string) => number): number {
  return inputs.reduce((sum, input) => sum + (typeof input === "string" ? count(input) : input.length), 0);
}

async function estimateInputs({ inputs }: EmbeddingsRequest): Promise<number> {
  const texts = inputs.filter((input) => typeof input === "string");
  return sumOver(inputs, () => 0) + (await estimateTokens(texts.join("\n")));
}
