import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createKey } from "../src/access/manage.ts";
import { noTags, type Tags } from "../src/attribution/attribution.ts";
import type { KeyLimits, KeyScopes } from "../src/access/key.ts";
import { type Clock, systemClock } from "../src/clock.ts";
import type { Config, ModelConfig, ServerConfig, TargetConfig } from "../src/config/config.ts";
import type { CircuitRules, Provider } from "../src/upstream/provider.ts";
import type { RouteDefinition } from "../src/routing/names/route.ts";
import { defaultConfig, sandboxModels, sandboxProvider, withSandboxAt } from "../src/config/defaults.ts";
import { type BackendSettings, backendOf } from "../src/config/search-backends.ts";
import type { Dialects } from "../src/dialects/dialect.ts";
import { startGateway } from "../src/gateway.ts";
import type { PollTimes } from "../src/pipeline/videos/poll-times.ts";
import { requestFields } from "../src/log-request-line.ts";
import type { Log, LogFields } from "../src/log.ts";
import { startSandbox, type Sandbox, type SandboxOptions } from "../src/sandbox/server.ts";
import { openStorage } from "../src/storage/open-storage.ts";
import { tester } from "../src/changes/actor.testkit.ts";

/** A model or provider for a test. Defaults are those of the built-in sandbox. */
export interface TestGatewayOptions {
  readonly server?: Partial<ServerConfig>;
  readonly timeouts?: Partial<Provider["timeouts"]>;
  /** The default circuit of providers. If not given, consecutive failures never open it. */
  readonly circuit?: Partial<CircuitRules>;
  readonly providers?: (sandboxUrl: string) => readonly (Partial<Provider> & { readonly id: string })[];
  readonly models?: readonly TestModel[];
  readonly routes?: readonly RouteDefinition[];
  /** Search backends; if not given, `sandbox-search`. Their circuits are those of providers. */
  readonly backends?: (sandboxUrl: string) => readonly BackendSettings[];
  /** If not given, no answers to searches are kept. */
  readonly searchCache?: Config["search"]["cache"];
  readonly auto?: boolean;
  readonly secretKeys?: Partial<Config["secretKeys"]>;
  readonly prices?: Config["prices"];
  readonly billing?: Config["billing"];
  readonly webhooks?: Config["webhooks"];
  readonly sandbox?: SandboxOptions;
  readonly cors?: Config["cors"];
  readonly fetch?: Config["fetch"];
  readonly files?: Partial<Config["files"]>;
  readonly media?: Partial<Config["media"]>;
  readonly console?: Partial<Config["console"]>;
  /** How often providers are asked for jobs: fast if not given. */
  readonly times?: PollTimes;
  /** A directory to use and keep. */
  readonly folder?: string;
  /** Instead of SQLite in the directory. */
  readonly storageUrl?: string;
  readonly clock?: Clock;
  /** If not given, `clock` if that is, else the system's. */
  readonly steady?: Clock;
  readonly random?: () => number;
  readonly journalMaxBytes?: number;
  /** All that the registry lists if not given. */
  readonly dialects?: Dialects;
}

export type TestModel = Partial<Omit<ModelConfig, "targets">> & {
  readonly id: string;
  readonly targets?: readonly (Omit<TargetConfig, "weight"> & Partial<TargetConfig>)[];
};

export interface TestKey {
  readonly id: string;
  readonly key: string;
}

/** A gateway on a free port with SQLite in its own directory, in front of its own sandbox. */
export interface TestGateway {
  readonly url: string;
  /** A key without limits. */
  readonly key: string;
  readonly sandbox: Sandbox;
  readonly log: readonly { readonly level: string; readonly fields: LogFields; readonly message: string }[];
  readonly folder: string;
  readonly storageUrl: string;
  newKey(options?: {
    readonly admin?: boolean;
    readonly limits?: Partial<KeyLimits>;
    readonly scopes?: Partial<KeyScopes>;
    readonly expiresAt?: number;
    /** An account that exists. */
    readonly accountId?: string;
    readonly tags?: Tags;
  }): Promise<TestKey>;
  /** Sends a request with the key, unless `init` has another one. */
  fetch(path: string, init?: RequestInit): Promise<Response>;
  /** Sends a chat request; `model` and `messages` have defaults. */
  chat(body?: Readonly<Record<string, unknown>>, init?: RequestInit): Promise<Response>;
  /** The usage record of a request, by its id. */
  record(id: string | null, key?: string): Promise<TestRecord>;
  /** Waits for the record of a request whose caller did not wait for the end. */
  eventualRecord(id: string, key?: string): Promise<TestRecord>;
  stop(): Promise<void>;
}

/** The usage record in the API. */
export interface TestRecord {
  readonly object: string;
  readonly id: string;
  /** Seconds since 1970. */
  readonly created_at: number;
  readonly status: string;
  readonly model: string;
  readonly endpoint: string;
  readonly stream: boolean;
  readonly error: { readonly type: string; readonly code: string | null } | null;
  readonly usage: {
    readonly prompt_tokens: number;
    readonly completion_tokens: number;
    readonly total_tokens: number;
    readonly measurement: { readonly input: string; readonly output: string } | null;
    readonly dimensions: readonly { readonly name: string; readonly quantity: number; readonly unit: string }[];
  };
  readonly billing: {
    readonly currency: string;
    readonly amount_microusd: number;
    readonly pricing_version: number;
    readonly status: string;
    readonly account: string;
    readonly held_microusd: number;
    readonly suspect?: true;
    readonly line_items: readonly {
      readonly dimension: string;
      readonly quantity: number;
      readonly unit_microusd: number;
      readonly amount_microusd: number;
    }[];
  };
  readonly routing: {
    readonly strategy_name: string;
    readonly requested_model: string;
    readonly resolved_model: string | null;
    readonly chose_provider: string | null;
    readonly status_code: number;
    readonly latency_ms: number;
    readonly time_to_first_byte_ms: number | null;
    readonly upstream_ms: number | null;
    readonly attempts: number;
  };
  readonly attribution: {
    readonly tags: Tags;
    readonly end_user: string | null;
    readonly session: string | null;
  };
  readonly route_receipt?: Readonly<Record<string, unknown>>;
  readonly provider_usage: { readonly family: string; readonly raw_fields: Readonly<Record<string, unknown>> };
}

export async function startTestGateway(options: TestGatewayOptions = {}): Promise<TestGateway> {
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), "tollgate-test-"));
  const sandbox = await startSandbox(options.sandbox);
  const storageUrl = options.storageUrl ?? `sqlite:${join(folder, "tollgate.db")}`;
  const lines: { level: string; fields: LogFields; message: string }[] = [];
  const { clock = systemClock, random = Math.random, journalMaxBytes } = options;
  const config = configOf(options, storageUrl, folder, sandbox.url);
  const gateway = await startGateway(config, {
    log: collectingLog(lines),
    clock,
    random,
    journalMaxBytes,
    times: options.times ?? { tickMs: 20, minPollMs: 20, maxPollMs: 200, leaseMs: 30_000, listMs: 100 },
    ...(options.dialects ? { dialects: options.dialects } : {}),
    ...(options.steady ? { steady: options.steady } : {}),
  });
  const storage = await openStorage(storageUrl);

  const newKey: TestGateway["newKey"] = async ({
    limits = {},
    scopes = {},
    expiresAt,
    admin = false,
    accountId,
    tags = noTags,
  } = {}) => {
    const made = await createKey(
      storage.keys,
      {
        name: "test",
        scopes: { models: null, endpoints: null, ...scopes },
        limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null, ...limits },
        expiresAt: expiresAt ?? null,
        admin,
        ...(accountId === undefined ? {} : { accountId }),
        tags,
      },
      // An expired key is created with an earlier time.
      { now: () => Math.min(clock.now(), (expiresAt ?? Infinity) - 1) },
      tester,
    );
    return { id: made.apiKey.id, key: made.key };
  };
  const { key } = await newKey();

  const send: TestGateway["fetch"] = (path, init = {}) => {
    const headers = new Headers(init.headers);
    if (!headers.has("authorization")) headers.set("authorization", `Bearer ${key}`);
    return fetch(gateway.url + path, { ...init, headers });
  };
  const look = (id: string | null, withKey = key) =>
    send(`/api/usage/requests/${encodeURIComponent(id ?? "none")}`, {
      headers: { authorization: `Bearer ${withKey}` },
    });

  return {
    url: gateway.url,
    key,
    sandbox,
    log: lines,
    folder,
    storageUrl,
    newKey,
    fetch: send,
    chat(body = {}, init = {}) {
      const headers = new Headers(init.headers);
      headers.set("content-type", "application/json");
      return send("/v1/chat/completions", {
        method: "POST",
        ...init,
        headers,
        body: JSON.stringify({ model: "sandbox-chat", messages: [{ role: "user", content: "Hello!" }], ...body }),
      });
    },
    async record(id, withKey) {
      const response = await look(id, withKey);
      if (response.status !== 200) throw new Error(`The lookup of ${id} answered ${response.status}.`);
      return (await response.json()) as TestRecord;
    },
    async eventualRecord(id, withKey) {
      for (let tries = 0; tries < 200; tries++) {
        const response = await look(id, withKey);
        if (response.status === 200) return (await response.json()) as TestRecord;
        await response.arrayBuffer();
        await Bun.sleep(10);
      }
      throw new Error(`The request ${id} left no record.`);
    },
    async stop() {
      await gateway.stop();
      await storage.close();
      await sandbox.stop();
      if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Seals the credentials in the storages of tests. */
const secretKey = "the secret key of tests, long enough";

/** Most tests let one target fail many times without opening its circuit. */
const neverOpens: Partial<CircuitRules> = { failures: 1_000_000, failureRate: 2, openMs: 1 };

function configOf(options: TestGatewayOptions, storageUrl: string, folder: string, sandboxUrl: string): Config {
  const base = defaultConfig(storageUrl);
  const timeouts = { ...sandboxProvider.timeouts, ...options.timeouts };
  const circuit = { ...sandboxProvider.circuit, ...(options.circuit ?? neverOpens) };
  const provider = { ...sandboxProvider, baseUrl: `${sandboxUrl}/v1`, timeouts, circuit };
  const others = options.providers?.(`${sandboxUrl}/v1`) ?? [];
  const [template] = sandboxModels;
  if (!template) throw new Error("There are no sandbox models to go by.");
  return {
    ...base,
    usesSandbox: false,
    server: { ...base.server, port: 0, drainMs: 2_000, maxRefusedPerMinute: 0, ...options.server },
    storage: { url: storageUrl, journalDir: join(folder, "journal") },
    cors: options.cors ?? base.cors,
    fetch: options.fetch ?? base.fetch,
    providers: [provider, ...others.map((other) => ({ ...provider, ...other }))],
    models: [...sandboxModels, ...(options.models ?? []).map((model) => fullModel(template, model))],
    routes: options.routes ?? base.routes,
    auto: options.auto ?? base.auto,
    prices: options.prices ?? base.prices,
    billing: options.billing ?? base.billing,
    webhooks: options.webhooks ?? base.webhooks,
    secretKeys: { key: secretKey, previousKey: null, file: join(folder, "secret.key"), ...options.secretKeys },
    blobs: { url: `file:${join(folder, "blobs")}` },
    files: { ...base.files, ...options.files },
    media: { ...base.media, ...options.media },
    console: { ...base.console, ...options.console },
    search: {
      cache: options.searchCache ?? null,
      backends: options.backends
        ? options.backends(sandboxUrl).map((backend) => backendOf({ circuit, ...backend }))
        : withSandboxAt(base, sandboxUrl).search.backends,
    },
  };
}

function fullModel(template: ModelConfig, { targets, ...model }: TestModel): ModelConfig {
  const own = targets?.map((target) => ({ weight: 1, ...target }));
  return { ...template, ...model, targets: own ?? template.targets };
}

function collectingLog(lines: { level: string; fields: LogFields; message: string }[]): Log {
  const write = (level: string) => (fields: LogFields, message: string) => void lines.push({ level, fields, message });
  return {
    debug: write("debug"),
    info: write("info"),
    warn: write("warn"),
    error: write("error"),
    request: (line) => write("info")(requestFields(line), "request"),
    flush: () => Promise.resolve(),
  };
}
