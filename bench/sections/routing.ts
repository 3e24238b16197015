import { Database } from "bun:sqlite";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Quantiles } from "../client/job.ts";
import type { Call } from "../contender.ts";
import { type LoadTools, runClient } from "../load.ts";
import { chatAsking } from "../payload/openai-chat.ts";
import { cpuMicroseconds } from "../proc.ts";
import { run } from "../processes.ts";
import { countRecords } from "../records.ts";
import { type Ailment, type AilingStrategy, ailingStrategies, routingConfiguration } from "../routing/configuration.ts";
import { startDecoys } from "../routing/decoys.ts";
import type { PlanCost } from "../routing/plan-cost.ts";
import type { Strategy } from "../routing/strategies.ts";
import { median } from "../statistics.ts";
import { prepareTollgate, startTollgate, type TollgateSetup } from "../tollgate.ts";
import type { Upstream } from "../upstream.ts";

/** CPU of the whole gateway for a request to a policy of three targets, beside one to a model by its own name. */
export interface PolicyCost {
  readonly strategy: Strategy;
  readonly cpuMicroseconds: number;
  /** Medians of the rounds, each against the direct model of the same round. */
  readonly ofDirect: number;
  readonly added: number;
}

/** A policy whose first target of three ails, once its circuit has opened. */
export interface AilingLatency {
  readonly strategy: AilingStrategy;
  readonly ailment: Ailment;
  /** Milliseconds, medians of the rounds. */
  readonly measured: Quantiles;
  /** p99 of the same policy with three healthy targets in the same round, the median of that ratio. */
  readonly ofHealthy: number;
  readonly requests: number;
  /** Of those so many were first put to the target that ails, to see how it does; and the longest took so long. */
  readonly probes: number;
  readonly slowestMilliseconds: number;
}

export interface Routing {
  readonly plan: PlanCost;
  readonly directCpuMicroseconds: number;
  readonly policies: readonly PolicyCost[];
  /** Requests a second in the latency rounds. */
  readonly rate: number;
  readonly ailing: readonly AilingLatency[];
}

export interface RoutingPlan {
  readonly rounds: number;
  readonly seconds: number;
  readonly connections: number;
  readonly planRounds: number;
  readonly planRequests: number;
}

const direct = "routing-a";
/** One that does nothing but keep an order, one that keeps count, and the one that looks at most. */
const costedStrategies = ["priority", "round_robin", "lowest_cost"] as const;
const connectionLimit = 512;

/** Measures a Tollgate of its own, whose models are behind policies. Throws where its records do not equal its requests. */
export async function measureRouting(
  tools: LoadTools,
  launcher: string,
  upstream: Upstream,
  plan: RoutingPlan,
): Promise<Routing> {
  const folder = join(tools.folder, "routing");
  mkdirSync(folder, { recursive: true });
  const decoys = startDecoys();
  try {
    const configure = (port: number, databaseFile: string) =>
      routingConfiguration({ port, databaseFile, upstreamPort: upstream.port, ...decoys });
    const setup = await prepareTollgate(launcher, { upstream, pinning: tools.pinning, folder, configure });
    const { pid } = await startTollgate(setup);
    const stage: Stage = { tools, setup, pid, plan, answered: 0 };
    const planCost = await measurePlan(tools, plan);
    const costs = await measureCosts(stage);
    const ailing = await measureAiling(stage, costs.perSecond / 2);
    const records = countRecords(setup.databaseFile);
    if (records !== stage.answered) throw new Error(`${records} records of ${stage.answered} requests to policies`);
    return {
      plan: planCost,
      directCpuMicroseconds: costs.direct,
      policies: costs.policies,
      rate: costs.perSecond / 2,
      ailing,
    };
  } finally {
    decoys.stop();
  }
}

interface Stage {
  readonly tools: LoadTools;
  readonly setup: TollgateSetup;
  readonly pid: number;
  readonly plan: RoutingPlan;
  /** Requests so far. */
  answered: number;
}

async function measurePlan({ pinning }: LoadTools, { planRounds, planRequests }: RoutingPlan): Promise<PlanCost> {
  const program = join(import.meta.dir, "../routing/plan-cost.ts");
  const command = [...pinning.gateway, process.execPath, program, String(planRounds), String(planRequests)];
  return JSON.parse(await run(command)) as PlanCost;
}

/** Full load on the direct model and on policies, in turns. The first round warms up and is not counted. */
async function measureCosts(stage: Stage) {
  const { tools, setup, pid, plan } = stage;
  const names = [direct, ...costedStrategies.map((strategy) => `healthy-${strategy}`)];
  const measured = new Map<string, number[]>(names.map((name) => [name, []]));
  const rates: number[] = [];
  for (let round = 0; round <= plan.rounds * 2; round++) {
    for (const [name, rounds] of measured) {
      const mode = { kind: "closed", seconds: plan.seconds / 2, requests: Number.MAX_SAFE_INTEGER } as const;
      const before = cpuMicroseconds(pid);
      const { answered, seconds } = await runClient(tools, {
        ...callOf(setup, name),
        connections: plan.connections,
        mode,
      });
      stage.answered += answered;
      if (round === 0) continue;
      rounds.push((cpuMicroseconds(pid) - before) / answered);
      if (name === direct) rates.push(answered / seconds);
    }
  }
  const baseline = measured.get(direct) ?? [];
  const against = (costs: readonly number[], compare: (cost: number, base: number) => number) =>
    median(costs.map((cost, round) => compare(cost, baseline[round] ?? Number.NaN)));
  const policies = costedStrategies.map((strategy): PolicyCost => {
    const costs = measured.get(`healthy-${strategy}`) ?? [];
    return {
      strategy,
      cpuMicroseconds: median(costs),
      ofDirect: against(costs, (cost, base) => cost / base),
      added: against(costs, (cost, base) => cost - base),
    };
  });
  return { direct: median(baseline), perSecond: median(rates), policies };
}

/** The same policy with three healthy targets, with one that is dead, and with one that stalls, in turns. */
async function measureAiling(stage: Stage, rate: number): Promise<AilingLatency[]> {
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
    for (let round = 0; round < plan.rounds; round++) {
      for (const [ailment, rounds] of measured) {
        const name = `${ailment}-${strategy}`;
        stage.answered += await untilPassedOver(setup, name);
        const since = Date.now();
        const mode = { kind: "open", seconds: plan.seconds, rate } as const;
        const job = { ...callOf(setup, name), connections: connectionLimit, mode };
        const outcome = await runClient(tools, job);
        stage.answered += outcome.answered;
        requests += outcome.answered;
        rounds.push(outcome.latency);
        troubles.set(ailment, [...(troubles.get(ailment) ?? []), troubleOf(setup, name, since)]);
      }
    }
    const healthy = measured.get("healthy") ?? [];
    for (const [ailment, rounds] of measured) {
      const trouble = troubles.get(ailment) ?? [];
      latencies.push({
        strategy,
        ailment,
        measured: { p50: median(rounds.map(({ p50 }) => p50)), p99: median(rounds.map(({ p99 }) => p99)) },
        ofHealthy: median(rounds.map(({ p99 }, round) => p99 / (healthy[round]?.p99 ?? Number.NaN))),
        requests: Math.round(requests / measured.size),
        probes: trouble.reduce((sum, { probes }) => sum + probes, 0),
        slowestMilliseconds: Math.max(...trouble.map(({ slowest }) => slowest)),
      });
    }
  }
  return latencies;
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
    const query = database.query<Trouble, [string, number]>(
      `SELECT coalesce(sum(attempts > 1), 0) AS probes, coalesce(max(latency_ms), 0) AS slowest
       FROM requests WHERE model = ? AND created_at >= ?`,
    );
    return query.get(name, since) ?? { probes: 0, slowest: 0 };
  } finally {
    database.close();
  }
}

function callOf({ port, key }: TollgateSetup, model: string): Call {
  const { path, headers, body } = chatAsking;
  return { port, path: path(model, "json"), headers: headers(key), body: body(model, "json") };
}
