import { Database } from "bun:sqlite";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { LoopReport } from "../../bench/watch/holds.ts";
import { openReports } from "../../bench/watch/watched.ts";
import { createKey } from "../../src/access/manage.ts";
import type { KeyLimits } from "../../src/access/key.ts";
import { systemClock } from "../../src/clock.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { freePort, startProcess } from "../process.testkit.ts";
import { type Behaviour, type HostileProvider, startHostileProvider } from "./hostile-provider.testkit.ts";

/** The effects of one attack on the gateway. */
export interface AttackReport {
  readonly name: string;
  /** The longest time for which the event loop was held by work of its own, in milliseconds. */
  readonly stall: number;
  /** By which the process was larger at its largest, in megabytes (10^6 bytes). */
  readonly growth: number;
  /** Calls that reached the provider and left no record. */
  readonly unrecorded: number;
}

export interface HostileModel {
  readonly dialect: string;
  readonly behave: Behaviour;
  /** Further fields of its provider. */
  readonly provider?: object;
}

export interface WatchedOptions {
  /** By model. */
  readonly models: Readonly<Record<string, HostileModel>>;
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
  /** All records of a status. */
  records(): readonly { readonly status: string; readonly amount: number }[];
  /**
   * Watches what an attack does, and until its records are kept. An attack that seems to hold the loop for 50 ms is made
   * up to four times more, and the least of its stalls counts: other work on the machine does not slow down all of them.
   */
  attack(name: string, run: () => Promise<void>): Promise<AttackReport>;
  printReports(): void;
  stop(): Promise<void>;
}

/** For which no request may hold the event loop, in milliseconds. */
export const maxStall = 50;

export async function startWatchedGateway({ models, server = {} }: WatchedOptions): Promise<WatchedGateway> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-attacks-"));
  const behaviours = Object.entries(models).map(([model, { behave }]) => [model, behave] as const);
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
    models: Object.keys(models).map((id) => {
      return { id, targets: [{ provider: id, model: id }], prices: { input: 1, output: 2 } };
    }),
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
    return (await createKey(storage.keys, settings, systemClock)).key;
  };
  const key = await newKey();
  const watch = openReports("loop-preload.ts", folder);
  const gateway = await startProcess(configFile, port, folder, watch.environment);
  const database = new Database(databaseFile, { readonly: true });
  const reports: AttackReport[] = [];

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

  const once = async (name: string, run: () => Promise<void>): Promise<AttackReport> => {
    await settled(() => provider.calls <= asked());
    const calls = provider.calls - asked();
    await watch.ask(gateway.pid);
    const memory = watchMemory(gateway.pid);
    try {
      await run();
      await settled(() => provider.calls - asked() <= calls);
    } finally {
      memory.stop();
    }
    const { longest } = await watch.ask<LoopReport>(gateway.pid);
    return { name, stall: longest, growth: memory.growth(), unrecorded: provider.calls - asked() - calls };
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
    async attack(name, run) {
      let report = await once(name, run);
      for (let tries = 1; tries < 5 && report.stall >= maxStall; tries++) {
        const again = await once(name, run);
        report = {
          ...again,
          stall: Math.min(report.stall, again.stall),
          growth: Math.max(report.growth, again.growth),
        };
      }
      reports.push(report);
      return report;
    },
    printReports() {
      const width = Math.max(...reports.map(({ name }) => name.length));
      const lines = reports.map(({ name, stall, growth, unrecorded }) => {
        const figures = [stall.toFixed(1).padStart(8), growth.toFixed(1).padStart(9), String(unrecorded).padStart(10)];
        return `${name.padEnd(width)}  ${figures.join("  ")}\n`;
      });
      process.stdout.write(`${"attack".padEnd(width)}  stall ms  growth MB  unrecorded\n${lines.join("")}`);
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

/** Samples the resident memory of a process. */
function watchMemory(pid: number) {
  const before = residentBytes(pid);
  let highest = before;
  const sample = () => (highest = Math.max(highest, residentBytes(pid)));
  const timer = setInterval(sample, 10);
  return {
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
  for (let tries = 0; tries < 100 && !condition(); tries++) await Bun.sleep(10);
}
