import { passThroughEmbeddings, readEmbeddingsRequest, type EmbeddingsRequest } from "../dialects/openai-chat/embeddings.ts";
import { estimateTokens } from "../metering/estimate.ts";
import type { Endpoint, EndpointInput } from "../pipeline/endpoint.ts";
import { embedThroughGemini } from "./embeddings-gemini.ts";
import { openaiVoice } from "./openai-voice.ts";

interface EmbeddingsCall extends EmbeddingsRequest, EndpointInput {}

/** `POST /v1/embeddings` */
export const embeddings: Endpoint<EmbeddingsCall> = {
  name: "embeddings",
  keyHeader: null,
  voice: openaiVoice,
  read: (text) => ({ ...readEmbeddingsRequest(text), stream: false }),
  checkModel() {},
  bookTokens: ({ inputs }) => inputs.reduce((sum, input) => sum + quickTokens(input), 0),
  estimateInput: estimateInputs,
  async exchange(input, { provider, model }) {
    const dialect = provider.dialects.find((name) => name === "openai-chat" || name === "openai-responses");
    if (dialect) return passThroughEmbeddings(input, model, dialect);
    if (!provider.dialects.includes("gemini")) return null;
    return embedThroughGemini(input, model, await estimateInputs(input));
  },
};

function quickTokens(input: EmbeddingsRequest["inputs"][number]): number {
  return typeof input === "string" ? Math.ceil(Buffer.byteLength(input) / 4) : input.length;
}

async function estimateInputs({ inputs }: EmbeddingsRequest): Promise<number> {
  const texts = inputs.filter((input) => typeof input === "string");
  const tokens = inputs.reduce((sum, input) => sum + (typeof input === "string" ? 0 : input.length), 0);
  return tokens + (await estimateTokens(texts.join("\n")));
}
