import { Database } from "bun:sqlite";
import type { Quantiles } from "../client/job.ts";
import { runClient } from "../load.ts";
import { rowToRecord } from "../../src/storage/record-row.ts";
import type { RequestRow } from "../../src/storage/schema.ts";
import type { TollgateSetup } from "../contenders/tollgate.ts";
import { type TargetFault, type FailingStrategy, failingStrategies } from "./configuration.ts";
import { callOf, type RoutingStage } from "./stage.ts";

/** A policy whose first target of three fails, once its circuit has opened. */
export interface FailingLatency {
  readonly strategy: FailingStrategy;
  readonly fault: TargetFault;
  /** Milliseconds, the least of the turns: what else goes on in the process and on the machine only ever adds. */
  readonly measured: Quantiles;
  /** The p99 as a ratio to that of the same policy with three healthy targets. */
  readonly ofHealthy: number;
  readonly requests: number;
  /** Of those so many were first put to the target that fails, to see how it does; and the longest took so long. */
  readonly probes: number;
  readonly slowestMilliseconds: number;
}

const connectionLimit = 512;

/** The same policy with three healthy targets, with one that is dead, and with one that stalls, in turns. */
export async function measureFailing(stage: RoutingStage, rate: number): Promise<FailingLatency[]> {
  const { tools, setup, plan } = stage;
  const latencies: FailingLatency[] = [];
  for (const strategy of failingStrategies) {
    const measured = new Map<TargetFault, Quantiles[]>([
      ["healthy", []],
      ["dead", []],
      ["stalling", []],
    ]);
    const troubles = new Map<TargetFault, Trouble[]>();
    let requests = 0;
    for (let round = 0; round < plan.rounds * plan.failingTurns; round++) {
      // To and fro, so that none is always first.
      for (const [fault, rounds] of round % 2 === 0 ? measured : [...measured].toReversed()) {
        const name = `${fault}-${strategy}`;
        stage.answered += await untilPassedOver(setup, name);
        const since = Date.now();
        const mode = { kind: "open", seconds: plan.seconds / plan.failingTurns, rate } as const;
        const job = { ...callOf(setup, name), connections: connectionLimit, mode };
        const outcome = await runClient(tools, job);
        stage.answered += outcome.answered;
        requests += outcome.answered;
        rounds.push(outcome.latency);
        const trouble = await troubleOf(setup, name, since, outcome.answered);
        troubles.set(fault, [...(troubles.get(fault) ?? []), trouble]);
      }
    }
    const healthy = minOf(measured.get("healthy") ?? []);
    for (const [fault, rounds] of measured) {
      const trouble = troubles.get(fault) ?? [];
      latencies.push({
        strategy,
        fault,
        measured: minOf(rounds),
        ofHealthy: minOf(rounds).p99 / healthy.p99,
        requests: Math.round(requests / measured.size),
        probes: trouble.reduce((sum, { probes }) => sum + probes, 0),
        slowestMilliseconds: Math.max(...trouble.map(({ slowest }) => slowest)),
      });
    }
  }
  return latencies;
}

function minOf(rounds: readonly Quantiles[]): Quantiles {
  return { p50: Math.min(...rounds.map(({ p50 }) => p50)), p99: Math.min(...rounds.map(({ p99 }) => p99)) };
}

const maxTries = 200;
/** As many as there are targets, so that each has had its turn. */
const goodInRow = 3;

/** Asks until the target that fails is passed over, its circuit being open. How many requests it took. */
async function untilPassedOver(setup: TollgateSetup, name: string): Promise<number> {
  let row = 0;
  for (let tries = 1; tries <= maxTries; tries++) {
    const { port, path, headers, body } = callOf(setup, name);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text.slice(0, 500)}`);
    row = response.headers.get("x-service-attempts") === "1" ? row + 1 : 0;
    if (row === goodInRow) return tries;
  }
  throw new Error(`${name} asks a target that fails again and again`);
}

/** Requests that were put to more than one target, and the longest of all, by the records since then. */
interface Trouble {
  readonly probes: number;
  readonly slowest: number;
}

const recordLimitMilliseconds = 2_000;

/** Waits for the records, which may come a little after the answers. Their number is checked elsewhere. */
async function troubleOf(
  { databaseFile }: TollgateSetup,
  name: string,
  since: number,
  expected: number,
): Promise<Trouble> {
  const database = new Database(databaseFile, { readonly: true });
  const limit = performance.now() + recordLimitMilliseconds;
  try {
    const query = database.query<RequestRow, [string, number]>(
      "SELECT * FROM requests WHERE model = ? AND created_at >= ?",
    );
    for (;;) {
      const served = query.all(name, since).map((row) => rowToRecord(row).routing);
      if (served.length < expected && performance.now() < limit) await Bun.sleep(20);
      else {
        return {
          probes: served.filter(({ attempts }) => attempts > 1).length,
          slowest: served.reduce((slowest, { latencyMs }) => Math.max(slowest, latencyMs), 0),
        };
      }
    }
  } finally {
    database.close();
  }
}
