import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { LoadTools } from "../load.ts";
import { run } from "../processes.ts";
import { settledCount } from "../records.ts";
import { type FailingLatency, measureFailing } from "../routing/failing-target.ts";
import { routingConfiguration } from "../routing/configuration.ts";
import { measureCosts, type PolicyCost } from "../routing/costs.ts";
import { startDecoys } from "../routing/decoys.ts";
import type { PlanCost } from "../routing/plan-cost.ts";
import type { RoutingPlan, RoutingStage } from "../routing/stage.ts";
import { prepareTollgate, startTollgate } from "../contenders/tollgate.ts";
import type { Upstream } from "../upstream.ts";

/** The cost of policies compared with models by their own names, and the effect of a failing target on callers. */
export interface Routing {
  readonly plan: PlanCost;
  readonly directCpuMicroseconds: number;
  readonly policies: readonly PolicyCost[];
  /** Requests a second in the latency rounds. */
  readonly rate: number;
  readonly failing: readonly FailingLatency[];
}

/** Measures a Tollgate of its own, whose models are behind policies. Throws if its records do not equal its requests. */
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
    const stage: RoutingStage = { tools, setup, pid, plan, answered: 0 };
    const planCost = await measurePlan(tools, plan);
    const costs = await measureCosts(stage);
    // At half load the p99 is the pauses of the process, which differ by half from round to round: they would hide a target's.
    const rate = costs.perSecond / 5;
    const failing = await measureFailing(stage, rate);
    const records = await settledCount(setup.databaseFile, stage.answered);
    if (records !== stage.answered) throw new Error(`${records} records of ${stage.answered} requests to policies`);
    return {
      plan: planCost,
      directCpuMicroseconds: costs.direct,
      policies: costs.policies,
      rate,
      failing,
    };
  } finally {
    decoys.stop();
  }
}

async function measurePlan({ pinning }: LoadTools, { planRounds, planRequests }: RoutingPlan): Promise<PlanCost> {
  const program = join(import.meta.dir, "../routing/plan-cost.ts");
  const command = [...pinning.gateway, process.execPath, program, String(planRounds), String(planRequests)];
  return JSON.parse(await run(command)) as PlanCost;
}
