import { Database } from "bun:sqlite";
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopReport } from "../../bench/watch/holds.ts";
import { openReports } from "../../bench/watch/watched.ts";
import { createKey } from "../../src/access/manage.ts";
import type { KeyLimits } from "../../src/access/key.ts";
import { systemClock } from "../../src/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { type AttackReport, attackTable } from "./attack-table.testkit.ts";
import type { TestRecord } from "../gateway.testkit.ts";
import { freePort, startProcess } from "../process.testkit.ts";
import { type Behaviour, type HostileProvider, startHostileProvider } from "./hostile-provider.testkit.ts";
import { tester } from "../../src/changes/actor.testkit.ts";

export interface HostileModel {
  readonly dialect: string;
  readonly behave: Behaviour;
  /** Further fields of its provider. */
  readonly provider?: object;
  /** Further fields of the model. */
  readonly model?: object;
}

export interface HostileBackend {
  /** The name of its search provider. */
  readonly provider: string;
  readonly behave: Behaviour;
}

export interface WatchedOptions {
  /** By model. */
  readonly models?: Readonly<Record<string, HostileModel>>;
  /** By backend. */
  readonly search?: Readonly<Record<string, HostileBackend>>;
  readonly server?: object;
}

/** A gateway in a process of its own, whose event loop, memory and records are watched. */
export interface WatchedGateway {
  readonly url: string;
  readonly key: string;
  readonly provider: HostileProvider;
  newKey(limits?: Partial<KeyLimits>): Promise<string>;
  post(path: string, body: string | Uint8Array, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** Sends a chat request. */
  chat(fields: object, headers?: Readonly<Record<string, string>>): Promise<Response>;
  /** All rows that are in the database by now. */
  records(): readonly { readonly status: string; readonly amount: number }[];
  /** The record of a request as the API tells it. */
  record(id: string): Promise<TestRecord>;
  /** The log so far. */
  log(): string;
  /** The resident memory of the gateway's process in bytes once its garbage has been collected. */
  heldMemory(): Promise<number>;
  /**
   * Watches what an attack does, and until its records are kept. An attack that seems to hold the loop for 50 ms is made
   * up to four times more, and the least of its stalls counts: other work on the machine does not slow down all of them.
   * @param furtherCalls that it makes at providers beside those that have a record each
   */
  attack(name: string, run: () => Promise<void>, furtherCalls?: number): Promise<AttackReport>;
  stop(): Promise<void>;
}

const reports: AttackReport[] = [];

/** Writes what the attacks of a file did; with ATTACKS_FILE also as JSON, for `npm run attacks`. */
export function printReports(): void {
  const file = process.env.ATTACKS_FILE;
  if (file === undefined) process.stdout.write(attackTable(reports));
  else appendFileSync(file, reports.map((report) => `${JSON.stringify(report)}\n`).join(""));
  reports.length = 0;
}

/** For which no request may hold the event loop, in milliseconds. */
export const maxStall = 50;

export async function startWatchedGateway({
  models = {},
  search = {},
  server = {},
}: WatchedOptions): Promise<WatchedGateway> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-attacks-"));
  const behaviours = Object.entries({ ...models, ...search }).map(([name, { behave }]) => [name, behave] as const);
  const provider = await startHostileProvider(Object.fromEntries(behaviours));
  const port = await freePort();
  const databaseFile = join(folder, "tollgate.db");
  const configFile = join(folder, "tollgate.yaml");
  const config = {
    server: { port, ...server },
    storage: { url: `sqlite:${databaseFile}`, journal_dir: join(folder, "journal") },
    providers: Object.entries(models).map(([id, { dialect, provider: more }]) => {
      return { id, dialect, base_url: provider.urlOf(id), api_key: "sk-upstream", ...more };
    }),
    models: Object.entries(models).map(([id, { model: more }]) => {
      return { id, targets: [{ provider: id, model: id }], prices: { input: 1, output: 2 }, ...more };
    }),
    search: {
      backends: Object.entries(search).map(([id, { provider: name }]) => {
        return { id, provider: name, base_url: provider.urlOf(id), api_key: "sk-upstream", max_results: 100 };
      }),
    },
  };
  // JSON is YAML too.
  writeFileSync(configFile, JSON.stringify(config));
  const storage = await openStorage(`sqlite:${databaseFile}`);
  const newKey = async (limits: Partial<KeyLimits> = {}) => {
    const settings = {
      name: "test",
      scopes: { models: null, endpoints: null },
      limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null, ...limits },
      expiresAt: null,
      admin: false,
    };
    return (await createKey(storage.keys, settings, systemClock, tester)).key;
  };
  const key = await newKey();
  const watch = openReports("loop-preload.ts", folder);
  const preloads = `${watch.environment["BUN_OPTIONS"]} --preload=${join(import.meta.dir, "..", "..", "bench", "watch", "collect-preload.ts")}`;
  const environment = { ...watch.environment, BUN_OPTIONS: preloads };
  const gateway = await startProcess(configFile, port, folder, environment);
  const database = new Database(databaseFile, { readonly: true });
  const post: WatchedGateway["post"] = (path, body, headers = {}) =>
    fetch(gateway.url + path, {
      method: "POST",
      headers: { authorization: `Bearer ${key}`, "content-type": "application/json", ...headers },
      body,
    });
  const records: WatchedGateway["records"] = () =>
    database
      .query<{ status: string; amount: number }, []>("select status, amount_microusd as amount from requests")
      .all();
  const asked = () => records().filter(({ status }) => status !== "refused").length;

  /** Calls of all attacks so far that have no record of their own. */
  let withoutRecord = 0;

  const once = async (name: string, run: () => Promise<void>, furtherCalls: number): Promise<AttackReport> => {
    await settled(() => provider.calls - withoutRecord <= asked());
    withoutRecord += furtherCalls;
    const calls = provider.calls - asked() + furtherCalls;
    await watch.ask(gateway.pid);
    const memory = watchMemory(gateway.pid);
    try {
      await run();
      await settled(() => provider.calls - asked() <= calls);
    } finally {
      memory.stop();
    }
    const { longest } = await watch.ask<LoopReport>(gateway.pid);
    const unrecorded = provider.calls - asked() - calls;
    return { name, stall: longest, worst: longest, peak: memory.peak(), growth: memory.growth(), unrecorded };
  };

  return {
    url: gateway.url,
    key,
    provider,
    newKey,
    post,
    chat: (fields, headers) =>
      post("/v1/chat/completions", JSON.stringify({ messages: [{ role: "user", content: "Hi" }], ...fields }), headers),
    records,
    heldMemory: () => heldMemory(gateway.pid),
    async record(id) {
      const path = `/api/usage/requests/${encodeURIComponent(id)}`;
      const response = await fetch(gateway.url + path, { headers: { authorization: `Bearer ${key}` } });
      if (response.status !== 200) throw new Error(`The lookup of '${id}' answered ${response.status}.`);
      return (await response.json()) as TestRecord;
    },
    log: () => gateway.output(),
    async attack(name, run, furtherCalls = 0) {
      let report = await once(name, run, furtherCalls);
      for (let tries = 1; tries < 5 && report.stall >= maxStall; tries++) {
        const again = await once(name, run, furtherCalls);
        report = {
          ...again,
          stall: Math.min(report.stall, again.stall),
          worst: Math.max(report.worst, again.worst),
          peak: Math.max(report.peak, again.peak),
          growth: Math.max(report.growth, again.growth),
        };
      }
      reports.push(report);
      return report;
    },
    async stop() {
      gateway.kill("SIGTERM");
      await provider.stop();
      await gateway.exited;
      database.close();
      await storage.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

async function heldMemory(pid: number): Promise<number> {
  process.kill(pid, "SIGWINCH");
  // What was freed is given back a little later.
  let least = residentBytes(pid);
  for (let tries = 0; tries < 40; tries++) {
    await Bun.sleep(50);
    least = Math.min(least, residentBytes(pid));
  }
  return least;
}

/** Samples the resident memory of a process. */
function watchMemory(pid: number) {
  const before = residentBytes(pid);
  let highest = before;
  const sample = () => (highest = Math.max(highest, residentBytes(pid)));
  const timer = setInterval(sample, 10);
  return {
    peak: () => highest / 1e6,
    growth: () => (highest - before) / 1e6,
    stop() {
      sample();
      clearInterval(timer);
    },
  };
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return Number(kilobytes) * 1024;
}

async function settled(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 1_000 && !condition(); tries++) await Bun.sleep(10);
}
