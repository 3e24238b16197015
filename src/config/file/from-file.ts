import { defaultBaseUrl } from "../../dialects/registry.ts";
import type { Config, ModelConfig } from "../config.ts";
import type { TlsOptions } from "../../upstream/http/exchange.ts";
import type { Provider } from "../../upstream/provider.ts";
import { sandboxModels, sandboxProvider } from "../defaults.ts";
import { routeFromFile, retryFromFile } from "../routes/route-from-file.ts";
import type { ConfigFile } from "./schema.ts";
import { defaultJournalDir } from "../values/values.ts";

/** Converts a validated file to the configuration. `storageUrl` overrides that of the file. */
export function configFromFile(
  file: ConfigFile,
  source: string,
  usesSandbox: boolean,
  storageUrl: string | null,
): Config {
  const { server, storage } = file;
  const url = storageUrl ?? storage.url;
  return {
    source,
    server: {
      host: server.host,
      port: server.port,
      maxBodyBytes: server.max_body_bytes,
      bodyTimeoutMs: server.body_timeout_ms,
      drainMs: server.drain_ms,
      keepAliveMs: server.keep_alive_ms,
      hideProvider: server.hide_provider,
      maxInFlight: server.max_in_flight,
      maxBodyMemoryBytes: server.max_body_memory_bytes,
      maxRefusedPerMinute: server.max_refused_per_minute,
    },
    storage: { url, journalDir: storage.journal_dir ?? defaultJournalDir(url) },
    log: file.log,
    cors: file.cors,
    fetch: { allowHosts: file.fetch.allow_hosts },
    responses: { retentionMs: file.responses.retention },
    billing: { minimumOutputTokens: file.billing.minimum_output_tokens },
    providers: [...(file.providers ?? []).map(providerFromFile), ...(usesSandbox ? [sandboxProvider] : [])],
    models: [...(file.models ?? []).map(modelFromFile), ...(usesSandbox ? sandboxModels : [])],
    routes: (file.routes ?? []).map(routeFromFile),
    auto: file.auto,
    usesSandbox,
  };
}

function providerFromFile(provider: NonNullable<ConfigFile["providers"]>[number]): Provider {
  const { timeouts, circuit, tls } = provider;
  const names = provider.dialects ?? (provider.dialect === undefined ? [] : [provider.dialect]);
  return {
    id: provider.id,
    dialects: names,
    baseUrl: provider.base_url ?? defaultBaseUrl(names[0]) ?? "",
    ...(tls ? { tls: withoutUndefined(tls) } : {}),
    apiKeys: provider.api_keys ?? (provider.api_key === undefined ? [] : [provider.api_key]),
    headers: Object.fromEntries(
      Object.entries(provider.headers).map(([name, value]) => [name.toLowerCase(), value.trim()]),
    ),
    timeouts: {
      connectMs: timeouts.connect_ms,
      firstByteMs: timeouts.first_byte_ms,
      idleMs: timeouts.idle_ms,
      totalMs: timeouts.total_ms,
    },
    maxInFlight: provider.max_in_flight ?? null,
    circuit: {
      failures: circuit.failures,
      openMs: circuit.open_ms,
      failureRate: circuit.failure_rate,
      minCalls: circuit.least_calls,
    },
    onCallerAbort: provider.on_caller_abort,
  };
}

function withoutUndefined(tls: { readonly [name in "ca" | "cert" | "key"]?: string | undefined }): TlsOptions {
  return Object.fromEntries(Object.entries(tls).filter(([, pem]) => pem !== undefined));
}

function modelFromFile(model: NonNullable<ConfigFile["models"]>[number]): ModelConfig {
  return {
    id: model.id,
    name: model.name ?? model.id,
    description: model.description ?? null,
    ownedBy: model.owned_by ?? model.targets[0]?.provider ?? "",
    created: model.created,
    targets: model.targets,
    strategy: model.strategy ?? null,
    retry: model.retry === undefined ? null : retryFromFile(model.retry),
    endpoints: [...new Set(model.endpoints)],
    parameters: model.parameters,
    inputModalities: model.input_modalities ?? inputModalities(model.parameters),
    outputModalities: model.output_modalities,
    contextLength: model.context_length ?? null,
    maxOutputTokens: model.max_output_tokens ?? null,
    hostedTools: model.hosted_tools,
    temperature: model.temperature,
    deprecatedAt: model.deprecated_at ?? null,
    prices: model.prices === undefined ? null : pricesFromFile(model.prices),
  };
}

/** The default input modalities, derived from the capabilities. */
function inputModalities(parameters: Readonly<Record<string, boolean>>): string[] {
  const image = parameters["vision"] === true ? ["image"] : [];
  const audio = parameters["audio_input"] === true ? ["audio"] : [];
  return ["text", ...image, ...audio];
}

function pricesFromFile(prices: NonNullable<NonNullable<ConfigFile["models"]>[number]["prices"]>) {
  return Object.fromEntries(Object.entries(prices).filter(([, price]) => price !== undefined));
}
