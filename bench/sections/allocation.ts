import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { type LoadTools, runClient } from "../load.ts";
import { median } from "../results/statistics.ts";
import { prepareTollgate, startTollgate } from "../contenders/tollgate.ts";
import type { Upstream } from "../upstream.ts";
import type { HeapReport } from "../watch/heap-preload.ts";
import { openReports } from "../watch/watched.ts";

/** Bytes that a warm JSON request allocates in the gateway. */
export interface Allocation {
  /** Objects of the engine, and what they hold outside its heap. The median of the rounds. */
  readonly bytes: number;
  readonly rounds: readonly { readonly objects: number; readonly outside: number }[];
  /** Of each round. */
  readonly requests: number;
}

export interface AllocationPlan {
  readonly warmUpRequests: number;
  readonly requests: number;
  readonly rounds: number;
  readonly connections: number;
}

/**
 * Sends counted loads to a Tollgate whose garbage collector is off, and sees how its heap grows: exact but for the last
 * blocks of the heap, 16 kB for each size of object.
 */
export async function measureAllocation(
  tools: LoadTools,
  launcher: string,
  upstream: Upstream,
  plan: AllocationPlan,
): Promise<Allocation> {
  const folder = join(tools.folder, "allocation");
  mkdirSync(folder, { recursive: true });
  const reports = openReports("heap-preload.ts", folder);
  const setup = await prepareTollgate(launcher, { upstream, pinning: tools.pinning, folder });
  // Both the engine's own collections and those that Bun asks for.
  const environment = { ...reports.environment, BUN_JSC_useGC: "0", BUN_GC_TIMER_DISABLE: "1" };
  const tollgate = await startTollgate(setup, "allocation", environment);
  const send = (requests: number) => {
    const mode = { kind: "closed", seconds: 60, requests } as const;
    return runClient(tools, { ...tollgate.call("json"), connections: plan.connections, mode });
  };
  try {
    await send(plan.warmUpRequests);
    const rounds: Allocation["rounds"][number][] = [];
    let before = await reports.ask<HeapReport>(tollgate.pid);
    for (let round = 0; round < plan.rounds; round++) {
      const { answered } = await send(plan.requests);
      const after = await reports.ask<HeapReport>(tollgate.pid);
      rounds.push({
        objects: (after.objects - before.objects) / answered,
        outside: (after.outside - before.outside) / answered,
      });
      before = after;
    }
    const bytes = median(rounds.map(({ objects, outside }) => objects + outside));
    return { bytes, rounds, requests: plan.requests };
  } finally {
    await tollgate.stop();
  }
}
