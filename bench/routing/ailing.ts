import { Database } from "bun:sqlite";
import type { Quantiles } from "../client/job.ts";
import { runClient } from "../load.ts";
import { rowToRecord } from "../../src/storage/record-row.ts";
import type { RequestRow } from "../../src/storage/schema.ts";
import { settledCount } from "../records.ts";
import type { TollgateSetup } from "../tollgate.ts";
import { type Ailment, type AilingStrategy, ailingStrategies } from "./configuration.ts";
import { callOf, type RoutingStage } from "./stage.ts";

/** A policy whose first target of three ails, once its circuit has opened. */
export interface AilingLatency {
  readonly strategy: AilingStrategy;
  readonly ailment: Ailment;
  /** Milliseconds, the least of the turns: what else goes on in the process and on the machine only ever adds. */
  readonly measured: Quantiles;
  /** The p99 as a ratio to that of the same policy with three healthy targets. */
  readonly ofHealthy: number;
  readonly requests: number;
  /** Of those so many were first put to the target that ails, to see how it does; and the longest took so long. */
  readonly probes: number;
  readonly slowestMilliseconds: number;
}

const connectionLimit = 512;
/** Shorter than elsewhere, and more of them, so that some go undisturbed. */
const turnsPerRound = 3;

/** The same policy with three healthy targets, with one that is dead, and with one that stalls, in turns. */
export async function measureAiling(stage: RoutingStage, rate: number): Promise<AilingLatency[]> {
  const { tools, setup, plan } = stage;
  const latencies: AilingLatency[] = [];
  for (const strategy of ailingStrategies) {
    const measured = new Map<Ailment, Quantiles[]>([
      ["healthy", []],
      ["dead", []],
      ["stalling", []],
    ]);
    const troubles = new Map<Ailment, Trouble[]>();
    let requests = 0;
    for (let round = 0; round < plan.rounds * turnsPerRound; round++) {
      // To and fro, so that nobody is always first.
      for (const [ailment, rounds] of round % 2 === 0 ? measured : [...measured].toReversed()) {
        const name = `${ailment}-${strategy}`;
        stage.answered += await untilPassedOver(setup, name);
        const since = Date.now();
        const mode = { kind: "open", seconds: plan.seconds / turnsPerRound, rate } as const;
        const job = { ...callOf(setup, name), connections: connectionLimit, mode };
        const outcome = await runClient(tools, job);
        stage.answered += outcome.answered;
        requests += outcome.answered;
        rounds.push(outcome.latency);
        await settledCount(setup.databaseFile);
        troubles.set(ailment, [...(troubles.get(ailment) ?? []), troubleOf(setup, name, since)]);
      }
    }
    const healthy = leastOf(measured.get("healthy") ?? []);
    for (const [ailment, rounds] of measured) {
      const trouble = troubles.get(ailment) ?? [];
      latencies.push({
        strategy,
        ailment,
        measured: leastOf(rounds),
        ofHealthy: leastOf(rounds).p99 / healthy.p99,
        requests: Math.round(requests / measured.size),
        probes: trouble.reduce((sum, { probes }) => sum + probes, 0),
        slowestMilliseconds: Math.max(...trouble.map(({ slowest }) => slowest)),
      });
    }
  }
  return latencies;
}

function leastOf(rounds: readonly Quantiles[]): Quantiles {
  return { p50: Math.min(...rounds.map(({ p50 }) => p50)), p99: Math.min(...rounds.map(({ p99 }) => p99)) };
}

const mostTries = 200;
/** As many as there are targets, so that each has had its turn. */
const goodInRow = 3;

/** Asks until the target that ails is passed over, its circuit being open. How many requests it took. */
async function untilPassedOver(setup: TollgateSetup, name: string): Promise<number> {
  let row = 0;
  for (let tries = 1; tries <= mostTries; tries++) {
    const { port, path, headers, body } = callOf(setup, name);
    const response = await fetch(`http://127.0.0.1:${port}${path}`, { method: "POST", headers, body });
    const text = await response.text();
    if (!response.ok) throw new Error(`${name} answered ${response.status}: ${text.slice(0, 500)}`);
    row = response.headers.get("x-service-attempts") === "1" ? row + 1 : 0;
    if (row === goodInRow) return tries;
  }
  throw new Error(`${name} asks a target that ails again and again`);
}

/** Requests that were put to more than one target, and the longest of all, by the records since then. */
interface Trouble {
  readonly probes: number;
  readonly slowest: number;
}

function troubleOf({ databaseFile }: TollgateSetup, name: string, since: number): Trouble {
  const database = new Database(databaseFile, { readonly: true });
  try {
    const query = database.query<RequestRow, [string, number]>(
      "SELECT * FROM requests WHERE model = ? AND created_at >= ?",
    );
    const served = query.all(name, since).map((row) => rowToRecord(row).routing);
    return {
      probes: served.filter(({ attempts }) => attempts > 1).length,
      slowest: served.reduce((slowest, { latencyMs }) => Math.max(slowest, latencyMs), 0),
    };
  } finally {
    database.close();
  }
}
