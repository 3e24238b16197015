import { conversationEndpoints } from "../config/defaults.ts";
import type { Dialect } from "../dialects/dialect.ts";
import type { UpstreamRequest } from "../dialects/exchange.ts";
import { chatCodec } from "../dialects/openai-chat/conversation/codec.ts";
import { embeddings, readEmbeddingsRequest } from "../dialects/openai-chat/embeddings.ts";

/** A question as cheap as questions get. OpenAI's reasoning models take no bound below 16 tokens. */
const tinyRequest = { messages: [{ role: "user", content: "Say OK." }], max_completion_tokens: 16 };

/** One request to a model, as cheap as it can be, and how its answer is read. */
export interface Trial {
  readonly request: UpstreamRequest;
  /** Throws if it is no answer. */
  readonly read: (answer: unknown) => object;
}

/**
 * A trial of a model at a provider of this dialect; null if none of its endpoints can be tried so.
 * @param model the provider's own name
 */
export async function trialOf(
  dialect: Dialect,
  model: string,
  { endpoints, maxOutputTokens }: { readonly endpoints: readonly string[]; readonly maxOutputTokens: number | null },
): Promise<Trial | null> {
  const { conversation, embeddings: embed } = dialect.provides;
  if (embed && endpoints.includes(embeddings.endpoint)) {
    const exchange = await embed(readEmbeddingsRequest(JSON.stringify({ model, input: "OK" })), model);
    const read = (answer: unknown) => exchange.readWhole(new TextEncoder().encode(JSON.stringify(answer)));
    return { request: exchange.request, read };
  }
  if (!conversation || !conversationEndpoints.some((endpoint) => endpoints.includes(endpoint))) return null;
  const { provider } = conversation;
  const asked = chatCodec.caller.decodeRequest({ model, ...tinyRequest });
  const { path, headers, body } = provider.encodeRequest(asked, { model, maxOutputTokens });
  return {
    request: {
      dialect: dialect.name,
      method: "POST",
      path,
      headers: { "content-type": "application/json", ...headers },
      body: JSON.stringify(body),
    },
    read: (answer) => provider.decodeResponse(answer),
  };
}
