import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.ts";
import type { DialectConfig } from "../../src/config/config.ts";

/** A provider of each dialect, under a model name that has its vendor's rules. */
export const upstreamModels: Readonly<Record<DialectConfig, string>> = {
  "openai-chat": "deepseek-reasoner",
  "openai-responses": "gpt-5.6",
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-3-pro",
};

export const dialects = Object.keys(upstreamModels) as readonly DialectConfig[];

/** The public model that a provider of this dialect serves. */
export function modelOf(dialect: DialectConfig): string {
  return `by-${dialect}`;
}

/** The same, for embeddings. */
export function embeddingModelOf(dialect: DialectConfig): string {
  return `embeddings-by-${dialect}`;
}

/** Micro-USD for a million tokens, such that amounts are easily told. */
const prices = { input: 1_000_000, cache_read: 500_000, output: 2_000_000 };

/** A whole gateway in front of the sandbox, which stands for one provider of each dialect. */
export function startDialectGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  return startTestGateway({
    ...options,
    providers: (url) =>
      dialects.map((dialect) => {
        const baseUrl = dialect.startsWith("openai") ? url : url.replace(/\/v1$/, "");
        return { id: dialect, dialects: [dialect], baseUrl };
      }),
    models: dialects.flatMap((dialect) => {
      const targets = [{ provider: dialect, model: upstreamModels[dialect] }];
      return [
        { id: modelOf(dialect), targets, parameters: {}, prices },
        { id: embeddingModelOf(dialect), targets, endpoints: ["embeddings"], prices: { input: 1_000_000 } },
      ];
    }),
    sandbox: { models: Object.fromEntries(Object.values(upstreamModels).map((model) => [model, {}])) },
  });
}
