import { backendOf } from "./search-backends.ts";
import type { Config, ConfigLines, ModelConfig, SearchBackendConfig } from "./config.ts";
import { faultClasses, type RetryRules } from "../routing/names/route.ts";
import type { Provider } from "../upstream/provider.ts";
import { defaultBlobsUrl, defaultJournalDir, defaultKeyFile } from "./values/values.ts";

export const defaultServer = {
  host: "127.0.0.1",
  port: 8787,
  publicUrl: null,
  maxBodyBytes: 32 * 1024 * 1024,
  bodyTimeoutMs: 60_000,
  drainMs: 30_000,
  keepAliveMs: 15_000,
  trustedProxies: [],
  hideProvider: false,
  maxInFlight: 10_000,
  maxBodyMemoryBytes: 512 * 1024 * 1024,
  maxAnswerMemoryBytes: 256 * 1024 * 1024,
  maxRefusedPerMinute: 60,
  maxFreePerMinute: 600,
} as const;

export const defaultStorageUrl = "sqlite:./data/tollgate.db";

export const defaultLog = { level: "info", format: "auto" } as const;

/** Safe for all origins, because keys are sent in headers and not as cookies. */
export const defaultCors = { origins: ["*"] } as const;

export const defaultFetch = { allowHosts: [] } as const;

export const defaultResponses = { retentionMs: 30 * 24 * 3_600_000 } as const;

export const defaultPrices = { bundled: true } as const;

export const defaultBilling = { unpriced: "serve", minimumOutputTokens: 256 } as const;

export const defaultFiles = {
  maxFileBytes: 512 * 1024 * 1024,
  maxAccountBytes: 10 * 1024 ** 3,
  maxAccountFiles: 10_000,
} as const;

export const defaultMedia = { retentionMs: 7 * 24 * 3_600_000, jobDeadlineMs: 3_600_000 } as const;

export const defaultConsole = { enabled: true, publicUrl: null, sessionMs: 7 * 24 * 3_600_000, oidc: null } as const;

export const defaultTimeouts = { connectMs: 5_000, firstByteMs: 120_000, idleMs: 120_000, totalMs: 900_000 } as const;

export const defaultCircuit = { failures: 5, openMs: 30_000, failureRate: 0.5, minCalls: 20 } as const;

/** No retry at a target that timed out or rejected the credential. */
export const defaultRetry = {
  attempts: null,
  budgetMs: 60_000,
  on: ["unreachable", "rate_limit", "overloaded", "server_error", "invalid_response"],
} as const satisfies RetryRules;

/** All classes except `context_length`: a larger model may cost more, so a policy must opt in. */
export const defaultFallbackOn = faultClasses.filter((name) => name !== "context_length");

/** The built-in policy `auto`, without its models. */
export const autoPolicy = {
  kind: "policy",
  id: "auto",
  strategy: "lowest_cost",
  requires: [],
  retry: defaultRetry,
  fallbackOn: faultClasses,
  hedgeAfterMs: null,
} as const;

export const defaultTemperature = { min: 0, max: 2 } as const;

/** The default endpoints of a model: conversations in all dialects. */
export const conversationEndpoints = ["chat", "responses", "messages", "generate_content"] as const;

/** The id of the built-in sandbox as a provider. */
export const sandboxProviderId = "sandbox";

/** The built-in sandbox as a provider. It listens on a free port; its address is filled in when it has started. */
export const sandboxProvider: Provider = {
  id: sandboxProviderId,
  dialects: ["openai-chat"],
  baseUrl: "http://sandbox.invalid/v1",
  apiKeys: [],
  headers: {},
  timeouts: defaultTimeouts,
  maxInFlight: null,
  circuit: defaultCircuit,
  onCallerAbort: "cancel",
};

/** OpenAI's voices, of which the sandbox makes no difference. */
const sandboxVoices = ["alloy", "ash", "ballad", "coral", "echo", "fable", "nova", "onyx", "sage", "shimmer", "verse"];

/** The models of the built-in sandbox. The upstream names are the same. */
export const sandboxModels: readonly ModelConfig[] = [
  sandboxModel("sandbox-chat", "Sandbox chat", "Answers with scripted text, tool calls and JSON. Free of charge.", {
    parameters: { tools: true, vision: true, json_schema: true, reasoning: true },
    prices: { input: 250_000, cache_read: 25_000, output: 2_000_000 },
  }),
  sandboxModel("sandbox-reasoning", "Sandbox reasoning", "Like sandbox-chat, with scripted reasoning.", {
    parameters: { tools: true, json_schema: true, reasoning: true },
    prices: { input: 1_250_000, cache_read: 125_000, output: 10_000_000 },
  }),
  sandboxModel("sandbox-no-tools", "Sandbox without tools", "Rejects tools, to show what an error looks like.", {
    parameters: { tools: false },
    prices: { input: 250_000, output: 2_000_000 },
  }),
  sandboxModel("sandbox-speech", "Sandbox speech", "Speaks each word as a tone. Free of charge.", {
    parameters: { voices: sandboxVoices, formats: ["mp3", "wav", "pcm"] },
    prices: { character: 15_000_000 },
    endpoints: ["audio_speech"],
    outputModalities: ["audio"],
    contextLength: null,
    maxOutputTokens: null,
  }),
  sandboxModel(
    "sandbox-transcription",
    "Sandbox transcription",
    "Transcribes what sandbox-speech has said. Free of charge.",
    {
      parameters: {},
      prices: { second: 100 },
      endpoints: ["audio_transcriptions", "audio_translations"],
      inputModalities: ["audio"],
      contextLength: null,
      maxOutputTokens: null,
    },
  ),
  sandboxModel("sandbox-image", "Sandbox image", "Draws shapes and colours for each prompt. Free of charge.", {
    parameters: { sizes: ["1024x1024", "1024x1536", "1536x1024", "512x512"], formats: ["png"] },
    prices: { image: { "512x512": 10_000, default: 40_000 } },
    endpoints: ["images_generations", "images_edits"],
    outputModalities: ["image"],
    contextLength: null,
    maxOutputTokens: null,
  }),
  sandboxModel("sandbox-video", "Sandbox video", "Makes films of coloured bars. Free of charge.", {
    parameters: { sizes: ["720x1280", "1280x720"], seconds: [4, 8, 12] },
    prices: { video_second: 100_000 },
    endpoints: ["videos"],
    outputModalities: ["video"],
    contextLength: null,
    maxOutputTokens: null,
  }),
];

/** The search backend of the built-in sandbox, which speaks as Tavily does. */
export const sandboxBackend: SearchBackendConfig = backendOf({
  id: "sandbox-search",
  name: "Sandbox search",
  provider: "tavily",
  baseUrl: "http://sandbox.invalid/search/tavily",
  apiKeys: ["sandbox"],
  prices: { web_search: 8_000 },
});

const noLines: ConfigLines = {
  providers: new Map(),
  models: new Map(),
  routes: new Map(),
  backends: new Map(),
};

/** The configuration without a file: the sandbox models on the default address. */
export function defaultConfig(storageUrl: string = defaultStorageUrl): Config {
  return {
    source: null,
    lines: noLines,
    server: defaultServer,
    storage: { url: storageUrl, journalDir: defaultJournalDir(storageUrl) },
    log: defaultLog,
    cors: defaultCors,
    fetch: defaultFetch,
    responses: defaultResponses,
    providers: [sandboxProvider],
    models: sandboxModels,
    routes: [],
    auto: false,
    prices: defaultPrices,
    billing: defaultBilling,
    webhooks: [],
    search: { cache: null, backends: [sandboxBackend] },
    secretKeys: { key: null, previousKey: null, file: defaultKeyFile(storageUrl) },
    blobs: { url: defaultBlobsUrl(storageUrl) },
    files: defaultFiles,
    media: defaultMedia,
    console: defaultConsole,
    usesSandbox: true,
  };
}

/** Fills in the address of the built-in sandbox. */
export function withSandboxAt(config: Config, url: string): Config {
  if (!config.usesSandbox) return config;
  const providers = config.providers.map((provider) =>
    provider.id === sandboxProviderId ? { ...provider, baseUrl: `${url}/v1` } : provider,
  );
  const backends = config.search.backends.map((backend) => {
    if (backend.id !== sandboxBackend.id) return backend;
    return { ...backend, provider: { ...backend.provider, baseUrl: `${url}/search/tavily` } };
  });
  return { ...config, providers, search: { ...config.search, backends } };
}

function sandboxModel(
  id: string,
  name: string,
  description: string,
  facts: Pick<ModelConfig, "parameters" | "prices"> & Partial<ModelConfig>,
): ModelConfig {
  return {
    id,
    name,
    description,
    ownedBy: "tollgate",
    created: 0,
    targets: [{ provider: sandboxProviderId, model: id, weight: 1 }],
    strategy: null,
    retry: null,
    endpoints: conversationEndpoints,
    inputModalities: facts.parameters["vision"] === true ? ["text", "image"] : ["text"],
    outputModalities: ["text"],
    contextLength: 128_000,
    maxOutputTokens: 16_384,
    hostedTools: "omit",
    temperature: defaultTemperature,
    deprecatedAt: null,
    ...facts,
  };
}
