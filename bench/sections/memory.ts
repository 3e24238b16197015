import type { ByContender, Contender } from "../contenders/contender.ts";
import { type LoadTools, withHeldStreams } from "../load.ts";
import { residentMegabytes } from "../proc.ts";

/** Resident megabytes (10^6 bytes) of a gateway's process. */
export interface Memory {
  /** Ready, before its first call. */
  readonly atStart: number;
  /** After the load of this run. */
  readonly afterLoad: number;
  /** With `streams` streams open at once, each of them alive with a chunk a second; the highest seen. */
  readonly withStreams: number;
  readonly streams: number;
}

const samplePauseMilliseconds = 100;

/** Resident memory of each gateway now. */
export function residentNow(contenders: readonly Contender[]): ByContender<number> {
  const gateways = contenders.flatMap(({ name, pid }) =>
    pid === null ? [] : [[name, residentMegabytes(pid)] as const],
  );
  return Object.fromEntries(gateways);
}

/** Opens streams through each gateway in turn and watches its memory for `seconds`. To be called after the load. */
export async function measureMemory(
  tools: LoadTools,
  contenders: readonly Contender[],
  plan: { readonly streams: number; readonly seconds: number; readonly atStart: ByContender<number> },
): Promise<ByContender<Memory>> {
  const memory: ByContender<Memory> = {};
  for (const contender of contenders) {
    const { name, pid } = contender;
    if (pid === null) continue;
    const afterLoad = residentMegabytes(pid);
    contender.ledger?.add(0, plan.streams);
    const withStreams = await withHeldStreams(tools, contender, plan.streams, () => highest(pid, plan.seconds));
    memory[name] = { atStart: plan.atStart[name] ?? 0, afterLoad, withStreams, streams: plan.streams };
  }
  return memory;
}

async function highest(pid: number, seconds: number): Promise<number> {
  let megabytes = 0;
  for (let waited = 0; waited < seconds * 1000; waited += samplePauseMilliseconds) {
    megabytes = Math.max(megabytes, residentMegabytes(pid));
    await Bun.sleep(samplePauseMilliseconds);
  }
  return megabytes;
}
