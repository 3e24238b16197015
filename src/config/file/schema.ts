import { z } from "zod";
import { allowedIpRange, readIpRange } from "../../access/ip-range.ts";
import { dialectNames, modelEndpointNames } from "../../dialects/registry.ts";
import { searchProviderNames } from "../../search/providers/registry.ts";
import { faultClasses, strategyNames } from "../../routing/names/route.ts";
import {
  conversationEndpoints,
  defaultBilling,
  defaultCircuit,
  defaultConsole,
  defaultCors,
  defaultFiles,
  defaultMedia,
  defaultLog,
  defaultPrices,
  defaultResponses,
  defaultRetry,
  defaultServer,
  defaultStorageUrl,
  defaultTemperature,
  defaultTimeouts,
} from "../defaults.ts";
import { allowedDuration } from "../values/duration.ts";
import { defaultSearch, defaultSearchCache } from "../search-backends.ts";
import { anyNumber, flag, list, oneOf, readBy, section, text, wholeNumber } from "./fields.ts";
import { pricesSchema, rate } from "./prices-schema.ts";
import {
  allowedBlobsUrl,
  allowedParameter,
  allowedStorageUrl,
  isStorageUrl,
  readBaseUrl,
  readBytes,
  readBlobsUrl,
  readDuration,
  readHost,
  readIssuer,
  readOrigin,
  readParameter,
  readPemFile,
  readTime,
  readWebhookSecret,
  readWebhookUrl,
} from "../values/values.ts";

const oneDayMs = 24 * 3_600_000;
const milliseconds = (least: number) => wholeNumber(least, oneDayMs, "milliseconds");
const tokens = wholeNumber(1, 1_000_000_000, "tokens");
const modality = text(32, /^[a-z_]+$/, "a name in lower case, such as text, image or audio,");
const shownText = text(2_000, /^[^\u0000-\u0008\u000b-\u001f\u007f]*$/, "a text without control characters");

const server = section({
  host: text(255, /^[A-Za-z0-9.:_-]+$/, "a host name or address").default(defaultServer.host),
  port: wholeNumber(0, 65_535).default(defaultServer.port),
  max_body_bytes: wholeNumber(1, 1024 ** 3, "bytes").default(defaultServer.maxBodyBytes),
  body_timeout_ms: milliseconds(1).default(defaultServer.bodyTimeoutMs),
  drain_ms: milliseconds(0).default(defaultServer.drainMs),
  keep_alive_ms: milliseconds(1).default(defaultServer.keepAliveMs),
  public_url: readBy(
    "an http:// or https:// address without user, password, query or fragment",
    readBaseUrl,
  ).optional(),
  trusted_proxies: list(
    readBy(allowedIpRange, (value) => (typeof value === "string" ? (readIpRange(value) ?? undefined) : undefined)),
    "IP ranges",
    100,
  ).default([...defaultServer.trustedProxies]),
  hide_provider: flag().default(defaultServer.hideProvider),
  max_in_flight: wholeNumber(1, 1_000_000, "requests").default(defaultServer.maxInFlight),
  max_body_memory_bytes: wholeNumber(1024, 1024 ** 4, "bytes").default(defaultServer.maxBodyMemoryBytes),
  max_answer_memory_bytes: wholeNumber(1024, 1024 ** 4, "bytes").default(defaultServer.maxAnswerMemoryBytes),
  max_refused_per_minute: wholeNumber(0, 1_000_000, "requests").default(defaultServer.maxRefusedPerMinute),
  max_free_per_minute: wholeNumber(0, 1_000_000, "requests").default(defaultServer.maxFreePerMinute),
});

const storage = section({
  url: readBy(allowedStorageUrl, (value) =>
    typeof value === "string" && isStorageUrl(value) ? value : undefined,
  ).default(defaultStorageUrl),
  journal_dir: text(4_096, /^[^\u0000-\u001f]+$/, "a folder's path").optional(),
});

const log = section({
  level: oneOf(["debug", "info", "warn", "error"]).default(defaultLog.level),
  format: oneOf(["auto", "json", "pretty"]).default(defaultLog.format),
});

const cors = section({
  origins: list(readBy("an origin such as https://app.example, or *", readOrigin), "origins", 100).default([
    ...defaultCors.origins,
  ]),
});

const fetchPolicy = section({
  allow_hosts: list(readBy("a host's name or address, without scheme, port and path", readHost), "hosts", 100).default(
    [],
  ),
});

const responses = section({
  retention: readBy(allowedDuration, readDuration).default(defaultResponses.retentionMs),
});

const billing = section({
  unpriced: oneOf(["serve", "refuse"]).default(defaultBilling.unpriced),
  minimum_output_tokens: tokens.default(defaultBilling.minimumOutputTokens),
});

const webhook = section({
  account: text(64, /^[A-Za-z0-9][A-Za-z0-9._-]*$/, "the id of an account").optional(),
  url: readBy("an http:// or https:// address without user, password or fragment", readWebhookUrl),
  secret: readBy("whsec_ and base64 of 24 to 64 bytes, or 24 to 256 other visible ASCII characters", readWebhookSecret),
  events: list(
    text(64, /^([a-z_]+\.)*([a-z_]+|\*)$/, "a kind of event such as usage.unpriced, or usage.* for several,"),
    "kinds of event",
    100,
    1,
  ).optional(),
  allow_private: flag().default(false),
});

const apiKey = text(8_192, /^[\x21-\x7e]+$/, "a key without spaces and control characters");

/** A file of certificates or a key, read when the configuration is. */
const pemFile = readBy("the path of a readable PEM file", readPemFile);

const headers = z
  .record(
    text(128, /^[A-Za-z0-9!#$%&'*+.^_`|~-]+$/, "a header's name"),
    text(8_192, /^[\t\x20-\x7e\u00a0-\u00ff]+$/, "a header's value, in Latin-1 without control characters,"),
    { error: "a map of header names to values" },
  )
  .default({});

/** `crossCheck` checks rules across its fields. */
export const provider = section({
  id: text(64, /^[A-Za-z0-9][A-Za-z0-9._-]*$/, "a name of letters, digits, dots, dashes and underscores"),
  dialect: oneOf(dialectNames).optional(),
  dialects: list(oneOf(dialectNames), "dialects", dialectNames.length, 1).optional(),
  base_url: readBy("an http:// or https:// address without user, password, query or fragment", readBaseUrl).optional(),
  tls: section({
    ca: pemFile.optional(),
    cert: pemFile.optional(),
    key: pemFile.optional(),
  }).optional(),
  api_key: apiKey.optional(),
  api_keys: list(apiKey, "keys", 100, 1).optional(),
  webhook_secret: text(
    2_048,
    /^[\x21-\x7e]+( [\x21-\x7e]+)*$/,
    "a secret, or public keys with spaces between them,",
  ).optional(),
  headers,
  timeouts: section({
    connect_ms: milliseconds(1).default(defaultTimeouts.connectMs),
    first_byte_ms: milliseconds(1).default(defaultTimeouts.firstByteMs),
    idle_ms: milliseconds(1).default(defaultTimeouts.idleMs),
    total_ms: milliseconds(1).default(defaultTimeouts.totalMs),
  }).prefault({}),
  max_in_flight: wholeNumber(1, 1_000_000, "calls").optional(),
  circuit: section({
    failures: wholeNumber(1, 1_000_000, "failures in a row").default(defaultCircuit.failures),
    open_ms: milliseconds(1).default(defaultCircuit.openMs),
    failure_rate: anyNumber(0.01, 2).default(defaultCircuit.failureRate),
    least_calls: wholeNumber(1, 1_000_000, "calls").default(defaultCircuit.minCalls),
  }).prefault({}),
  on_caller_abort: oneOf(["cancel", "drain"]).default("cancel"),
});

const weight = wholeNumber(1, 1_000_000).default(1);
const strategy = oneOf(strategyNames);
const faults = list(oneOf(faultClasses), "kinds of fault", faultClasses.length);
const retry = section({
  attempts: wholeNumber(1, 100, "upstream calls").optional(),
  budget_ms: milliseconds(0).default(defaultRetry.budgetMs),
  on: faults.default([...defaultRetry.on]),
});

/** The amount is what the provider reports as its cost; the prices are for answers that report none. */
const cost = oneOf(["provider"]);

const target = section({
  provider: text(64, /^[^\u0000-\u0020]+$/, "the id of a provider"),
  model: text(512, /^[^\u0000-\u001f\u007f]+$/, "the provider's name for the model, without control characters,"),
  weight,
  prices: pricesSchema.optional(),
  cost: cost.optional(),
});

const time = readBy("a date such as 2026-01-31, or Unix seconds", readTime);

/** `crossCheck` checks rules across its fields. */
export const model = section({
  id: text(
    200,
    /^[^\s*,\p{C}]+(\/\*)?$/u,
    "a name, or a prefix that ends with /*, without white space, control characters and commas,",
  ),
  strategy: strategy.optional(),
  retry: retry.optional(),
  name: text(200, /^[^\p{C}]+$/u, "a name without control characters").optional(),
  description: shownText.optional(),
  owned_by: text(200, /^[^\p{C}]+$/u, "a name without control characters").optional(),
  created: time.default(0),
  targets: list(target, "targets", 16, 1),
  endpoints: list(oneOf(modelEndpointNames), "endpoints", 16, 1).default([...conversationEndpoints]),
  context_length: tokens.optional(),
  max_output_tokens: tokens.optional(),
  hosted_tools: oneOf(["omit", "refuse"]).default("omit"),
  web_search: section({
    backend: text(200, /^[^\p{C}]+$/u, "auto, or the name of a search backend or provider,").default("auto"),
    max_rounds: wholeNumber(1, 10, "searches").default(3),
  }).optional(),
  parameters: z
    .record(
      text(64, /^[a-z][a-z0-9_]*$/, "a parameter's name in lower case"),
      readBy(allowedParameter, readParameter),
      {
        error: "a map of parameter names to what the model declares of them",
      },
    )
    .default({}),
  temperature: section({
    min: anyNumber(0, 100).default(defaultTemperature.min),
    max: anyNumber(0, 100).default(defaultTemperature.max),
  }).prefault({}),
  input_modalities: list(modality, "modalities", 16, 1).optional(),
  output_modalities: list(modality, "modalities", 16, 1).default(["text"]),
  deprecated_at: time.optional(),
  prices: pricesSchema.optional(),
  cost: cost.optional(),
});

const routeName = text(200, /^[^\s*,\p{C}]+$/u, "a name without white space, control characters, * and commas,");
const capability = text(64, /^[a-z][a-z0-9_]*$/, "a capability's name in lower case");
const fullMember = section({ model: routeName, weight });

/** An alias or a policy; `crossCheck` sees to it that it is one of them. */
export const route = section({
  id: routeName,
  alias: routeName.optional(),
  strategy: strategy.optional(),
  targets: list(
    z.preprocess((value) => (typeof value === "string" ? { model: value } : value), fullMember),
    "models",
    64,
    1,
  ).optional(),
  requires: list(capability, "capabilities", 32).optional(),
  retry: retry.optional(),
  fallback_on: faults.optional(),
  hedge_after_ms: milliseconds(1).optional(),
});

/** An account of a search provider. `checkBackends` checks rules across its fields. */
export const searchBackend = section({
  id: text(64, /^[A-Za-z0-9][A-Za-z0-9._-]*$/, "a name of letters, digits, dots, dashes and underscores"),
  name: text(200, /^[^\p{C}]+$/u, "a name without control characters").optional(),
  provider: oneOf(searchProviderNames),
  base_url: readBy("an http:// or https:// address without user, password, query or fragment", readBaseUrl).optional(),
  api_key: apiKey.optional(),
  api_keys: list(apiKey, "keys", 100, 1).optional(),
  headers,
  search_price: rate.optional(),
  cost: cost.optional(),
  max_results: wholeNumber(1, 100, "results").default(defaultSearch.maxResults),
  timeout_ms: milliseconds(1).default(defaultSearch.timeoutMs),
  max_in_flight: wholeNumber(1, 1_000_000, "calls").optional(),
  enabled: flag().default(true),
  priority: wholeNumber(0, 1_000_000).default(defaultSearch.priority),
  weight,
  allow_fallback: flag().default(false),
  cache: flag().optional(),
});

/** Answers to searches that are given again. */
const searchCache = section({
  ttl: readBy("a duration from 1s to 24h, such as 10m", (value) => {
    const milliseconds = readDuration(value) ?? 0;
    return milliseconds > 0 && milliseconds <= oneDayMs ? milliseconds : undefined;
  }).default(defaultSearchCache.ttlMs),
  max_bytes: readBy("bytes, such as 67108864 or 64MiB (1MiB to 64GiB)", readBytes).default(defaultSearchCache.maxBytes),
});

const console = section({
  enabled: flag().default(defaultConsole.enabled),
  public_url: readBy(
    "an http:// or https:// address without user, password, query or fragment",
    readBaseUrl,
  ).optional(),
  session_hours: wholeNumber(1, 24 * 30, "hours").default(defaultConsole.sessionMs / 3_600_000),
  oidc: section({
    name: text(100, /^[^\p{C}]+$/u, "a name without control characters").default("single sign-on"),
    issuer: readBy("an http:// or https:// address without user, password, query or fragment", readIssuer),
    client_id: text(512, /^[\x21-\x7e]+$/, "an id without spaces and control characters"),
    client_secret: text(2_048, /^[\x21-\x7e]+$/, "a secret without spaces and control characters"),
    scopes: list(text(128, /^[\x21-\x7e]+$/, "a scope"), "scopes", 20, 1).default(["openid", "email", "profile"]),
  }).optional(),
});

/** The whole of `tollgate.yaml`. */
export const configSchema = section({
  server: server.prefault({}),
  storage: storage.prefault({}),
  log: log.prefault({}),
  cors: cors.prefault({}),
  fetch: fetchPolicy.prefault({}),
  responses: responses.prefault({}),
  sandbox: section({ enabled: flag().optional() }).prefault({}),
  providers: list(provider, "providers", 1_000).optional(),
  models: list(model, "models", 10_000).optional(),
  routes: list(route, "routes", 10_000).optional(),
  auto: flag().default(false),
  prices: section({ bundled: flag().default(defaultPrices.bundled) }).prefault({}),
  billing: billing.prefault({}),
  webhooks: list(webhook, "webhooks", 100).default([]),
  search: section({
    backends: list(searchBackend, "backends", 100).optional(),
    cache: searchCache.optional(),
  }).prefault({}),
  blobs: section({ url: readBy(allowedBlobsUrl, readBlobsUrl).optional() }).prefault({}),
  media: section({
    retention: readBy(allowedDuration, readDuration).default(defaultMedia.retentionMs),
    job_deadline: readBy(allowedDuration, readDuration).default(defaultMedia.jobDeadlineMs),
  }).prefault({}),
  files: section({
    max_file_bytes: wholeNumber(1, 1024 ** 4, "bytes").default(defaultFiles.maxFileBytes),
    max_account_bytes: wholeNumber(0, 1024 ** 5, "bytes").default(defaultFiles.maxAccountBytes),
    max_account_files: wholeNumber(0, 100_000).default(defaultFiles.maxAccountFiles),
  }).prefault({}),
  console: console.prefault({}),
});

export type ConfigFile = z.output<typeof configSchema>;
