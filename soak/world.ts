import type { Script } from "../src/sandbox/server.ts";

/** Names: which providers, models and routes the gateway is configured with, and which of them are flaky. */

/** The provider's key that is good, and one that the upstream refuses. */
export const goodApiKeys = ["sk-soak-good", "sk-soak-good-too"] as const;
const badApiKey = "sk-soak-refused";

/** Requests at once that the gateway is told to take: fewer than there are callers, so that some are turned away. */
export const maxInFlight = 190;
export const maxBodyBytes = 256 * 1024;
export const drainMs = 15_000;

/** Of the key with limits. */
export const limits = { requestsPerMinute: 900, concurrent: 8 } as const;

/** No provider may take longer than this in all. */
export const maxAnswerMs = 8_000;

/** Micro-USD a token read and written: another pair for each model, so that charges can be told apart. */
export const prices: Readonly<Record<string, { readonly input: number; readonly output: number }>> = {
  steady: { input: 1, output: 2 },
  "flaky-chat": { input: 3, output: 5 },
  "flaky-messages": { input: 7, output: 11 },
  "flaky-responses": { input: 13, output: 17 },
  "flaky-gemini": { input: 19, output: 23 },
  several: { input: 29, output: 31 },
  rotated: { input: 37, output: 41 },
  narrow: { input: 43, output: 47 },
  drained: { input: 53, output: 59 },
  dead: { input: 61, output: 67 },
  embedding: { input: 71, output: 0 },
  "open/*": { input: 73, output: 79 },
};

/** A target that is well: a short wait, and a text in pieces. */
export const wellScript: Script = { latency_ms: 60, chunk_delay_ms: 20, chunks: 8 };

/** Upstreams whose behaviour changes every few seconds. */
export const flakyUpstreams = [
  "sandbox-flaky-chat",
  "sandbox-flaky-messages",
  "sandbox-flaky-responses",
  "sandbox-flaky-gemini",
  "sandbox-several-a",
  "sandbox-several-b",
  "sandbox-drained",
  "sandbox-open-1",
  "sandbox-embedding",
] as const;

/** Upstreams that are always well. */
export const steadyUpstreams = ["sandbox-steady", "sandbox-rotated", "sandbox-narrow", "sandbox-open-2"] as const;

const members = ["flaky-chat", "flaky-messages", "flaky-gemini", "steady"];
const retry = { attempts: 4, budget_ms: 6000 };
const strategies = ["priority", "weighted", "round_robin", "lowest_latency", "lowest_cost", "least_busy"] as const;

/** Policies, one for each strategy and those that are hedged. */
export const policies = [...strategies.map((strategy) => `by-${strategy}`), "hedged", "with-dead", "auto"];
export const aliases = ["quick", "quicker", "quickest-policy"];
/** Models by their own name, and some that a pattern makes. */
export const models = [
  "steady",
  "flaky-chat",
  "flaky-messages",
  "flaky-responses",
  "flaky-gemini",
  "several",
  "rotated",
  "narrow",
  "drained",
  "dead",
  "open/1",
  "open/2",
];

/** Ports and files. */
export interface Addresses {
  readonly port: number;
  readonly upstreamPort: number;
  /** Nothing listens there. */
  readonly deadPort: number;
  readonly databaseFile: string;
  readonly journalFolder: string;
}

/** `tollgate.yaml`, as data. */
export function configuration({ port, upstreamPort, deadPort, databaseFile, journalFolder }: Addresses): object {
  const upstream = `http://127.0.0.1:${upstreamPort}`;
  const [goodKey, otherGoodKey] = goodApiKeys;
  const common = {
    timeouts: { connect_ms: 1000, first_byte_ms: 1500, idle_ms: 1500, total_ms: maxAnswerMs },
    circuit: { failures: 5, open_ms: 500 },
  };
  const provider = (id: string, dialect: string, further: object = {}) => ({
    id,
    dialect,
    base_url: dialect.startsWith("openai") ? `${upstream}/v1` : upstream,
    ...("api_keys" in further ? {} : { api_key: goodKey }),
    ...common,
    ...further,
  });
  const model = (id: string, targets: readonly object[], further: object = {}) => ({
    id,
    targets,
    parameters: { tools: true, streaming: true },
    prices: prices[id],
    ...further,
  });
  const target = (name: string, upstreamModel: string, weight = 1) => ({
    provider: name,
    model: upstreamModel,
    weight,
  });
  return {
    server: { host: "127.0.0.1", port, max_in_flight: maxInFlight, max_body_bytes: maxBodyBytes, drain_ms: drainMs },
    storage: { url: `sqlite:${databaseFile}`, journal_dir: journalFolder },
    log: { format: "json" },
    auto: true,
    providers: [
      provider("chat", "openai-chat"),
      provider("messages", "anthropic-messages"),
      provider("responses", "openai-responses"),
      provider("gemini", "gemini"),
      provider("keys", "openai-chat", { api_keys: [goodKey, badApiKey, otherGoodKey] }),
      provider("narrow", "openai-chat", { max_in_flight: 5 }),
      provider("drained", "openai-chat", { on_caller_abort: "drain" }),
      provider("dead", "openai-chat", { base_url: `http://127.0.0.1:${deadPort}/v1` }),
    ],
    models: [
      model("steady", [target("chat", "sandbox-steady")]),
      model("flaky-chat", [target("chat", "sandbox-flaky-chat")], { retry }),
      model("flaky-messages", [target("messages", "sandbox-flaky-messages")]),
      model("flaky-responses", [target("responses", "sandbox-flaky-responses")]),
      model("flaky-gemini", [target("gemini", "sandbox-flaky-gemini")]),
      model("several", [target("messages", "sandbox-several-a", 3), target("gemini", "sandbox-several-b")], {
        strategy: "weighted",
      }),
      model("rotated", [target("keys", "sandbox-rotated")]),
      model("narrow", [target("narrow", "sandbox-narrow")]),
      model("drained", [target("drained", "sandbox-drained")]),
      model("dead", [target("dead", "sandbox-dead")]),
      model("embedding", [target("chat", "sandbox-embedding")], { endpoints: ["embeddings"] }),
      model("open/*", [target("chat", "sandbox-open-*")]),
    ],
    routes: [
      { id: "quick", alias: "flaky-chat" },
      { id: "quicker", alias: "quick" },
      { id: "quickest-policy", alias: "by-lowest_latency" },
      ...strategies.map((strategy) => ({ id: `by-${strategy}`, strategy, targets: members, retry })),
      { id: "hedged", strategy: "round_robin", targets: members, retry, hedge_after_ms: 80 },
      { id: "with-dead", strategy: "priority", targets: ["dead", "flaky-responses", "steady"], retry },
    ],
  };
}
