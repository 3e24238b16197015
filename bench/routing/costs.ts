import { runClient } from "../load.ts";
import { cpuMicroseconds } from "../proc.ts";
import { median } from "../results/statistics.ts";
import { callOf, type RoutingStage } from "./stage.ts";
import type { Strategy } from "./configuration.ts";

/** CPU of the whole gateway for a request to a policy of three targets, beside one to a model by its own name. */
export interface PolicyCost {
  readonly strategy: Strategy;
  readonly cpuMicroseconds: number;
  /** Medians of the turns, each against the direct model's of the same round. */
  readonly ofDirect: number;
  readonly added: number;
}

export interface Costs {
  /** CPU microseconds a request to the model by its own name. */
  readonly direct: number;
  /** Such requests a second, at full load. */
  readonly perSecond: number;
  readonly policies: readonly PolicyCost[];
}

const direct = "routing-a";
/** One that does nothing but keep an order, one that keeps count, and the one that looks at most. */
const costedStrategies = ["priority", "round_robin", "lowest_cost"] as const;
/** What differs is little: many turns, each of them short, tell it better than a few long ones. */
const maxTurnSeconds = 1;

/** Full load on the direct model and on policies, in turns. The first round warms up and is not counted. */
export async function measureCosts(stage: RoutingStage): Promise<Costs> {
  const { tools, setup, pid, plan } = stage;
  const names = [direct, ...costedStrategies.map((strategy) => `healthy-${strategy}`)];
  const measured = new Map<string, number[]>(names.map((name) => [name, []]));
  const rates: number[] = [];
  for (let round = 0; round <= plan.rounds * plan.costTurns; round++) {
    // To and fro, so that none is always first.
    for (const [name, rounds] of round % 2 === 0 ? measured : [...measured].toReversed()) {
      const mode = {
        kind: "closed",
        seconds: Math.min(plan.seconds, maxTurnSeconds),
        requests: Number.MAX_SAFE_INTEGER,
      } as const;
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
