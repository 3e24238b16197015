import { join } from "node:path";
import type { Job, Outcome } from "./client/job.ts";
import type { Contender } from "./contenders/contender.ts";
import type { Machine, Pinning } from "./machine.ts";
import { cpuMicroseconds } from "./proc.ts";
import { run, startProgram, stop } from "./processes.ts";
import type { Answering } from "./payload/dialect.ts";
import { runWrk } from "./wrk.ts";

/** The load generator, and its CPU. */
export interface LoadTools {
  readonly machine: Machine;
  readonly pinning: Pinning;
  readonly folder: string;
}

export interface FullLoad {
  readonly answered: number;
  /** At most so many requests were under way when the tool left: they may have left a record, or not. */
  readonly cut: number;
  readonly seconds: number;
  /** CPU time of the contender's process meanwhile; null if it has none. */
  readonly cpuMicroseconds: number | null;
}

const unlimited = Number.MAX_SAFE_INTEGER;

/** Asks as fast as it is answered on so many connections. */
export async function fullLoad(
  tools: LoadTools,
  contender: Contender,
  load: { readonly answering: Answering; readonly connections: number; readonly seconds: number },
): Promise<FullLoad> {
  const { connections, seconds } = load;
  const call = contender.call(load.answering);
  const before = cpuOf(contender);
  const { wrk } = tools.machine;
  if (wrk === null) {
    const mode = { kind: "closed", seconds, requests: unlimited } as const;
    const outcome = await runClient(tools, { ...call, connections, mode });
    return { ...outcome, cut: 0, cpuMicroseconds: cpuSince(contender, before) };
  }
  const command = [...tools.pinning.load, wrk];
  const outcome = await runWrk(command, call, { connections, seconds: Math.ceil(seconds), folder: tools.folder });
  return { ...outcome, cut: connections, cpuMicroseconds: cpuSince(contender, before) };
}

/** Runs the load client to its end, when every request has been answered. Throws if an answer was not a good one. */
export async function runClient(tools: LoadTools, job: Job): Promise<Outcome> {
  const outcome = JSON.parse(await run(clientCommand(tools, job))) as Outcome;
  if (outcome.refused + outcome.broken > 0) {
    throw new Error(`the load was not answered well: ${outcome.refused} refused, ${outcome.broken} broken off`);
  }
  return outcome;
}

/** Opens streams, calls `meanwhile` once all have had their first byte, and breaks them off. */
export async function withHeldStreams<Value>(
  tools: LoadTools,
  contender: Contender,
  streams: number,
  meanwhile: () => Promise<Value>,
): Promise<Value> {
  const job: Job = { ...contender.call("held"), connections: streams, mode: { kind: "hold" } };
  const client = startProgram(clientCommand(tools, job));
  try {
    const { value } = await client.stdout.getReader().read();
    if (value === undefined) throw new Error(`${contender.name} did not hold ${streams} streams`);
    return await meanwhile();
  } finally {
    await stop(client);
  }
}

function clientCommand(tools: LoadTools, job: Job): string[] {
  return [...tools.pinning.load, process.execPath, join(import.meta.dir, "client/main.ts"), JSON.stringify(job)];
}

function cpuOf(contender: Contender): number {
  return contender.pid === null ? 0 : cpuMicroseconds(contender.pid);
}

function cpuSince(contender: Contender, before: number): number | null {
  return contender.pid === null ? null : cpuMicroseconds(contender.pid) - before;
}
