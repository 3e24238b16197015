import type { z } from "zod";
import { defaultBaseUrl } from "../../dialects/registry.ts";
import type { PriceDocument } from "../../billing/prices/price-document.ts";
import type { Config, ConfigLines, ModelConfig, SearchBackendConfig, TargetConfig } from "../config.ts";
import type { TlsOptions } from "../../upstream/http/exchange.ts";
import type { Webhook } from "../../webhooks/webhook.ts";
import type { Provider } from "../../upstream/provider.ts";
import { sandboxBackend, sandboxModels, sandboxProvider } from "../defaults.ts";
import { backendOf, backendPrices } from "../search-backends.ts";
import { routeFromFile, retryFromFile } from "../routes/route-from-file.ts";
import { priceDocument } from "./prices-schema.ts";
import type { ConfigFile, searchBackend } from "./schema.ts";
import { defaultBlobsUrl, defaultJournalDir, defaultKeyFile } from "../values/values.ts";

/** Converts a validated file to the configuration. `storageUrl` overrides that of the file. */
export function configFromFile(
  file: ConfigFile,
  source: string,
  usesSandbox: boolean,
  storageUrl: string | null,
  lines: ConfigLines,
): Config {
  const { server, storage } = file;
  const url = storageUrl ?? storage.url;
  return {
    source,
    lines,
    server: {
      host: server.host,
      port: server.port,
      publicUrl: server.public_url ?? null,
      maxBodyBytes: server.max_body_bytes,
      bodyTimeoutMs: server.body_timeout_ms,
      drainMs: server.drain_ms,
      keepAliveMs: server.keep_alive_ms,
      trustedProxies: server.trusted_proxies,
      hideProvider: server.hide_provider,
      maxInFlight: server.max_in_flight,
      maxBodyMemoryBytes: server.max_body_memory_bytes,
      maxAnswerMemoryBytes: server.max_answer_memory_bytes,
      maxRefusedPerMinute: server.max_refused_per_minute,
      maxFreePerMinute: server.max_free_per_minute,
    },
    storage: { url, journalDir: storage.journal_dir ?? defaultJournalDir(url) },
    log: file.log,
    cors: file.cors,
    fetch: { allowHosts: file.fetch.allow_hosts },
    responses: { retentionMs: file.responses.retention },
    providers: [
      ...(file.providers ?? []).map((provider) => providerFromFile(provider, server.public_url ?? null)),
      ...(usesSandbox ? [sandboxProvider] : []),
    ],
    models: [...(file.models ?? []).map(modelFromFile), ...(usesSandbox ? sandboxModels : [])],
    routes: (file.routes ?? []).map(routeFromFile),
    auto: file.auto,
    prices: file.prices,
    billing: { unpriced: file.billing.unpriced, minimumOutputTokens: file.billing.minimum_output_tokens },
    webhooks: file.webhooks.map(webhookFromFile),
    search: {
      cache: file.search.cache ? { ttlMs: file.search.cache.ttl, maxBytes: file.search.cache.max_bytes } : null,
      backends: [
        ...(file.search.backends ?? []).map(backendFromFile),
        ...(usesSandbox && file.search.backends === undefined ? [sandboxBackend] : []),
      ],
    },
    secretKeys: { key: null, previousKey: null, file: defaultKeyFile(url) },
    blobs: { url: file.blobs.url ?? defaultBlobsUrl(url) },
    media: { retentionMs: file.media.retention, jobDeadlineMs: file.media.job_deadline },
    files: {
      maxFileBytes: file.files.max_file_bytes,
      maxAccountBytes: file.files.max_account_bytes,
      maxAccountFiles: file.files.max_account_files,
    },
    console: consoleFromFile(file.console, server.public_url ?? null),
    usesSandbox,
  };
}

function consoleFromFile(
  { enabled, public_url: ownUrl, session_hours: hours, oidc }: ConfigFile["console"],
  publicUrl: string | null,
): Config["console"] {
  return {
    enabled,
    publicUrl: ownUrl ?? publicUrl,
    sessionMs: hours * 3_600_000,
    oidc: oidc
      ? {
          name: oidc.name,
          issuer: oidc.issuer,
          clientId: oidc.client_id,
          clientSecret: oidc.client_secret,
          scopes: oidc.scopes,
        }
      : null,
  };
}

function webhookFromFile(webhook: ConfigFile["webhooks"][number]): Webhook {
  return {
    accountId: webhook.account ?? null,
    url: webhook.url,
    secret: webhook.secret,
    events: webhook.events ?? null,
    allowPrivate: webhook.allow_private,
  };
}

/** Converts a validated provider. @param publicUrl the address of the gateway, for webhooks; null if it is not known */
export function providerFromFile(
  provider: NonNullable<ConfigFile["providers"]>[number],
  publicUrl: string | null,
): Provider {
  const { timeouts, circuit, tls, webhook_secret: secret } = provider;
  const names = provider.dialects ?? (provider.dialect === undefined ? [] : [provider.dialect]);
  return {
    id: provider.id,
    dialects: names,
    baseUrl: provider.base_url ?? defaultBaseUrl(names[0]) ?? "",
    ...(tls ? { tls: withoutUndefined(tls) } : {}),
    apiKeys: provider.api_keys ?? (provider.api_key === undefined ? [] : [provider.api_key]),
    ...(secret === undefined ? {} : { webhook: { secret, url: webhookUrl(publicUrl, provider.id, names) } }),
    headers: lowerNames(provider.headers),
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

/** Where a provider sends its webhooks, if it can reach the gateway. Replicate refuses jobs that name an `http:` address. */
function webhookUrl(publicUrl: string | null, id: string, dialects: readonly string[]): string | null {
  if (publicUrl === null || (dialects.includes("replicate") && !publicUrl.startsWith("https:"))) return null;
  return `${publicUrl}/v1/webhooks/${encodeURIComponent(id)}`;
}

/** Converts a validated search backend, with all defaults filled in. */
export function backendFromFile(backend: z.output<typeof searchBackend>): SearchBackendConfig {
  return backendOf({
    id: backend.id,
    name: backend.name,
    provider: backend.provider,
    baseUrl: backend.base_url,
    apiKeys: backend.api_keys ?? (backend.api_key === undefined ? [] : [backend.api_key]),
    headers: lowerNames(backend.headers),
    prices: backendPrices(backend.provider, backend.search_price, backend.cost),
    maxResults: backend.max_results,
    timeoutMs: backend.timeout_ms,
    maxInFlight: backend.max_in_flight ?? null,
    enabled: backend.enabled,
    priority: backend.priority,
    weight: backend.weight,
    allowFallback: backend.allow_fallback,
    cache: backend.cache,
  });
}

function lowerNames(headers: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value.trim()]));
}

function withoutUndefined(tls: { readonly [name in "ca" | "cert" | "key"]?: string | undefined }): TlsOptions {
  return Object.fromEntries(Object.entries(tls).filter(([, pem]) => pem !== undefined));
}

type FileModel = NonNullable<ConfigFile["models"]>[number];
type FileTarget = FileModel["targets"][number];

/** Converts a validated model, with all defaults filled in. */
export function modelFromFile(model: FileModel): ModelConfig {
  return {
    id: model.id,
    name: model.name ?? model.id,
    description: model.description ?? null,
    ownedBy: model.owned_by ?? model.targets[0]?.provider ?? "",
    created: model.created,
    targets: model.targets.map(targetFromFile),
    strategy: model.strategy ?? null,
    retry: model.retry === undefined ? null : retryFromFile(model.retry),
    endpoints: [...new Set(model.endpoints)],
    parameters: model.parameters,
    inputModalities: model.input_modalities ?? inputModalities(model.parameters),
    outputModalities: model.output_modalities,
    contextLength: model.context_length ?? null,
    maxOutputTokens: model.max_output_tokens ?? null,
    hostedTools: model.hosted_tools,
    ...(model.web_search && {
      webSearch: { backend: model.web_search.backend, maxRounds: model.web_search.max_rounds },
    }),
    temperature: model.temperature,
    deprecatedAt: model.deprecated_at ?? null,
    prices: pricesFromFile(model),
  };
}

/** The default input modalities, derived from the capabilities. */
function inputModalities(parameters: FileModel["parameters"]): string[] {
  const image = parameters["vision"] === true ? ["image"] : [];
  const audio = parameters["audio_input"] === true ? ["audio"] : [];
  return ["text", ...image, ...audio];
}

function targetFromFile(target: FileTarget): TargetConfig {
  const { provider, model, weight } = target;
  const prices = pricesFromFile(target);
  return prices === null ? { provider, model, weight } : { provider, model, weight, prices };
}

function pricesFromFile({ prices, cost }: Pick<FileTarget, "prices" | "cost">): PriceDocument | null {
  if (prices === undefined && cost === undefined) return null;
  return { ...(prices && priceDocument(prices)), ...(cost && { cost }) };
}
