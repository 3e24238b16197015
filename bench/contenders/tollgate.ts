import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Call, Contender } from "./contender.ts";
import type { Pinning } from "../machine.ts";
import type { Answering, Dialect } from "../payload/dialect.ts";
import { askings, dialects } from "../payload/dialects.ts";
import { searchPrefix, searchProviders } from "../payload/search.ts";
import { answerModel } from "../payload/words.ts";
import { waitForPort } from "../ports.ts";
import { freePort } from "../../scripts/free-port.ts";
import { run, startServer, stop } from "../processes.ts";
import { createLedger, type RequestLedger } from "../records.ts";
import { type Upstream, upstreamPrefix } from "../upstream.ts";

/** How a caller reaches the answer: in its own words, through a provider's. */
export interface Way {
  readonly caller: Dialect;
  readonly provider: Dialect;
}

const chatWay: Way = { caller: "openai-chat", provider: "openai-chat" };

const logName = "tollgate.log";

/** A Tollgate made ready to start: configuration written, key made, storage migrated. */
export interface TollgateSetup {
  readonly launcher: string;
  readonly place: readonly string[];
  readonly port: number;
  readonly key: string;
  readonly configurationFile: string;
  readonly databaseFile: string;
  readonly logFile: string;
}

/**
 * Writes everything that a Tollgate needs to stand before the upstream, in `folder`. Storage and log are the
 * defaults: SQLite and a line a request, both in real files.
 */
export async function prepareTollgate(
  launcher: string,
  setting: {
    readonly upstream: Upstream;
    readonly pinning: Pinning;
    readonly folder: string;
    /** Its configuration, if not the one that most sections need. */
    readonly configure?: (port: number, databaseFile: string) => object;
  },
): Promise<TollgateSetup> {
  mkdirSync(setting.folder, { recursive: true });
  const port = freePort();
  const databaseFile = join(setting.folder, "tollgate.db");
  const configurationFile = join(setting.folder, "tollgate.yaml");
  const content = setting.configure?.(port, databaseFile) ?? configuration(port, databaseFile, setting.upstream);
  // JSON is YAML too.
  writeFileSync(configurationFile, JSON.stringify(content, null, 2));
  const options = ["--name", "bench", "--json", "--config", configurationFile];
  const printed = JSON.parse(await run([launcher, "keys", "create", ...options])) as { readonly key: string };
  const logFile = join(setting.folder, logName);
  return { launcher, place: setting.pinning.gateway, port, key: printed.key, configurationFile, databaseFile, logFile };
}

/** The end of the log of the Tollgate prepared in `folder`: if it failed, the reason is there. */
export function lastWords(folder: string): string {
  const file = join(folder, logName);
  return existsSync(file) ? readFileSync(file, "utf8").slice(-2000) : "";
}

/** Starts it, without waiting for anything. `environment` is what it is given beside the usual. */
export function spawnTollgate(setup: TollgateSetup, environment: Readonly<Record<string, string>> = {}): Subprocess {
  const command = [...setup.place, setup.launcher, "start", "--config", setup.configurationFile];
  return startServer(command, setup.logFile, { NODE_ENV: "production", ...environment });
}

/** A Tollgate that runs, with what tells what it did. */
export interface RunningTollgate extends Contender {
  readonly pid: number;
  readonly ledger: RequestLedger;
  readonly setup: TollgateSetup;
  stop(): Promise<void>;
}

/** Starts it and waits until it accepts connections. */
export async function startTollgate(
  setup: TollgateSetup,
  name = "tollgate",
  environment: Readonly<Record<string, string>> = {},
): Promise<RunningTollgate> {
  const server = spawnTollgate(setup, environment);
  const gone = () => (server.exitCode === null ? null : "Tollgate did not start");
  await waitForPort(setup.port, gone);
  const call = (answering: Answering) => tollgateCall(setup, answering);
  return { name, pid: server.pid, ledger: createLedger(), setup, call, stop: () => stop(server) };
}

export function tollgateCall(setup: TollgateSetup, answering: Answering, { caller, provider }: Way = chatWay): Call {
  const { path, headers, body } = askings[caller];
  const model = nameOf(provider, answering);
  return {
    port: setup.port,
    path: path(model, answering),
    headers: headers(setup.key),
    body: body(model, answering),
  };
}

/** One provider and one model for each kind of answer in each dialect. */
function configuration(port: number, databaseFile: string, upstream: Upstream) {
  const kinds = [
    ...dialects.flatMap((dialect) => (["json", "stream"] as const).map((answering) => ({ dialect, answering }))),
    { dialect: "openai-chat", answering: "burst" } as const,
    { dialect: "openai-chat", answering: "held" } as const,
  ];
  return {
    server: { host: "127.0.0.1", port },
    storage: { url: `sqlite:${databaseFile}` },
    providers: kinds.map(({ dialect, answering }) => ({
      id: nameOf(dialect, answering),
      dialect,
      base_url: `http://127.0.0.1:${upstream.port}${upstreamPrefix(dialect, answering)}${versionIn(dialect)}`,
      api_key: "sk-bench-upstream",
    })),
    models: kinds.map(({ dialect, answering }) => ({
      id: nameOf(dialect, answering),
      targets: [{ provider: nameOf(dialect, answering), model: answerModel }],
      prices: { input: 0.25, cache_read: 0.025, output: 2 },
    })),
    search: {
      backends: searchProviders.map((provider) => ({
        id: provider,
        provider,
        base_url: `http://127.0.0.1:${upstream.port}${searchPrefix(provider)}`,
        api_key: "sk-bench-upstream",
        search_price: 0.005,
      })),
    },
  };
}

/** The names of a provider and of its model. */
function nameOf(dialect: Dialect, answering: Answering): string {
  return `bench-${dialect}-${answering}`;
}

/** OpenAI's base URL carries the version of its API, the others' do not. */
function versionIn(dialect: Dialect): string {
  return dialect.startsWith("openai-") ? "/v1" : "";
}
