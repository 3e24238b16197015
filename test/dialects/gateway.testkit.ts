import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";
import type { DialectName } from "./names.testkit.ts";

/** A provider of each dialect, with a model name for its vendor's rules. */
export const upstreamModels: Readonly<Record<DialectName, string>> = {
  "openai-chat": "deepseek-reasoner",
  "openai-responses": "gpt-5.6",
  "anthropic-messages": "claude-sonnet-4-5",
  gemini: "gemini-3-pro",
};

export const dialects = Object.keys(upstreamModels) as readonly DialectName[];

/** The public model at the provider of this dialect. */
export function modelOf(dialect: DialectName): string {
  return `by-${dialect}`;
}

/** The public embedding model at the provider of this dialect. */
export function embeddingModelOf(dialect: DialectName): string {
  return `embeddings-by-${dialect}`;
}

/** Micro-USD per million tokens, chosen for distinct amounts. */
const prices = { input: 1_000_000, cache_read: 500_000, output: 2_000_000 };

/** A gateway in front of the sandbox, which simulates one provider of each dialect. */
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
