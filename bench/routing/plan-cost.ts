/**
 * The cost, in process, of choosing a target: from the name in the request to the first candidate. A process of its
 * own, so that nothing else has shaped what the engine has compiled. Arguments: rounds, and requests a round. Prints
 * a `PlanCost` as JSON.
 */
import { exampleKey } from "../../src/access/key.testkit.ts";
import { compileIdentity } from "../../src/access/identity.ts";
import { configuredTable } from "../../src/billing/price-lists/configured-table.ts";
import { PriceBook } from "../../src/billing/prices/price-book.ts";
import { systemClock } from "../../src/clock.ts";
import { readConfigText } from "../../src/config/file/read-config-file.ts";
import { chat } from "../../src/dialects/openai-chat/chat.ts";
import { planRequest } from "../../src/pipeline/plan-request.ts";
import { ParsedRequest } from "../../src/pipeline/stages.ts";
import { createResponses } from "../../src/responses/responses.ts";
import { createCatalog } from "../../src/routing/names/catalog.ts";
import { createHealth } from "../../src/routing/health/health.ts";
import { modelsOf } from "../../src/routing/names/models-of.ts";
import { createBackends } from "../../src/routing/names/backends.ts";
import { createNames } from "../../src/routing/names/names.ts";
import { createRetrySchedule } from "../../src/routing/choice/retry-schedule.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { chatAsking } from "../payload/openai-chat.ts";
import { median } from "../results/statistics.ts";
import { routingConfiguration, strategies, type Strategy } from "./configuration.ts";

/** Microseconds a request. */
export interface PlanCost {
  /** For a model by its own name. */
  readonly direct: number;
  /** More than that for a policy of three targets: the median of the rounds' differences. */
  readonly added: Readonly<Record<Strategy, number>>;
}

const warmUpRounds = 10;

const [rounds = 0, requests = 0] = process.argv.slice(2).map(Number);
const timeOf = await prepare();
const names = ["routing-a", ...strategies.map((strategy) => `healthy-${strategy}`)];
const measured = new Map<string, number[]>(names.map((name) => [name, []]));
for (let round = 0; round < warmUpRounds + rounds; round++) {
  for (const [name, times] of measured) {
    const time = await timeOf(name);
    if (round >= warmUpRounds) times.push(time);
  }
}
const direct = measured.get("routing-a") ?? [];
const added = strategies.map((strategy) => {
  const times = measured.get(`healthy-${strategy}`) ?? [];
  return [strategy, median(times.map((time, round) => time - (direct[round] ?? 0)))];
});
console.log(JSON.stringify({ direct: median(direct), added: Object.fromEntries(added) }));

/** The rooms that decide, as the gateway puts them together. */
async function prepare(): Promise<(name: string) => Promise<number>> {
  const log = { debug() {}, info() {}, request() {}, warn() {}, error() {}, flush: async () => {} };
  const places = { port: 1, databaseFile: "never-opened.db", upstreamPort: 1, deadPort: 1, stallingPort: 1 };
  // JSON is YAML too.
  const config = readConfigText(JSON.stringify(routingConfiguration(places)), "the benchmark", {}, null);
  const clock = systemClock;
  const health = createHealth({ clock, log });
  const catalog = createCatalog(modelsOf(config, health), health);
  const configured = { ...configuredTable(config.models), date: "2026-11-22" };
  const prices = new PriceBook(1, { configured, imported: null, bundled: null });
  const services = {
    clock,
    steady: clock,
    refusesUnpriced: false,
    random: Math.random,
    backends: createBackends([]),
    names: createNames({ catalog, routes: config.routes, auto: null }),
    prices: { current: prices, at: async () => prices },
  };
  const identity = compileIdentity(exampleKey());
  const now = () => clock.now();
  // Chat requests have no stored responses.
  const storage = await openStorage("sqlite::memory:");
  const options = { store: storage.responses, clock, retentionMs: 0, maxConversationSize: 0 };
  const responses = createResponses({ ...options, isStoreAway: () => false });
  const files = { open: () => Promise.reject(new Error("Chat requests have no files.")) };

  return async (name) => {
    const headers = new Headers();
    const facts = { requestId: "req_bench", now: now(), headers, url: "http://gateway/", identity, responses, files };
    const videos = { remixSource: () => Promise.reject(new Error("There are no films.")) };
    const context = { ...facts, videos, hold: { addBodyBytes: () => undefined } };
    const input = await chat.read({ kind: "json", text: chatAsking.body(name, "json") }, context);
    const started = Bun.nanoseconds();
    for (let count = 0; count < requests; count++) {
      const plan = await planRequest(services, identity, new ParsedRequest(chat, input));
      const schedule = createRetrySchedule({ plan, startedAt: now(), deadlineAt: null, now, random: Math.random });
      if (schedule.next().kind !== "attempt") throw new Error(`nobody is asked for '${name}'`);
    }
    return (Bun.nanoseconds() - started) / 1000 / requests;
  };
}
