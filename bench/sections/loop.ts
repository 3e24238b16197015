import { mkdirSync, statSync } from "node:fs";
import { join } from "node:path";
import type { Contender } from "../contenders/contender.ts";
import { type LoadTools, fullLoad, runClient } from "../load.ts";
import type { Answering } from "../payload/dialect.ts";
import { stolenMilliseconds } from "../proc.ts";
import { settledCount } from "../records.ts";
import { prepareTollgate, type RunningTollgate, startTollgate } from "../contenders/tollgate.ts";
import type { Upstream } from "../upstream.ts";
import { type Garbage, garbageEnvironment, readGarbage, textSince } from "../watch/garbage.ts";
import type { LoopReport } from "../watch/holds.ts";
import { openReports, type ReportChannel } from "../watch/watched.ts";

/** How a gateway's event loop was held up under one load. */
export interface LoopHolds {
  readonly load: string;
  readonly requests: number;
  readonly report: LoopReport;
  /** Of all time, in turns of over 2 ms of its own doing. 0 to 1. */
  readonly share: number;
  readonly garbage: Garbage;
  /** Milliseconds that the core was not there, being one of a virtual machine; turns seem longer by as much. */
  readonly stolen: number;
}

/** A Tollgate of its own whose event loop is watched. */
export interface WatchedTollgate {
  readonly tollgate: RunningTollgate;
  readonly reports: ReportChannel;
  /** On which it runs. */
  readonly core: number;
}

export interface LoopPlan {
  /** Of each load. */
  readonly seconds: number;
  readonly warmUpSeconds: number;
  readonly connections: number;
}

const connectionLimit = 512;

export async function startWatchedTollgate(
  tools: LoadTools,
  launcher: string,
  upstream: Upstream,
  name: string,
): Promise<WatchedTollgate> {
  const folder = join(tools.folder, name);
  mkdirSync(folder, { recursive: true });
  const reports = openReports("loop-preload.ts", folder);
  const setup = await prepareTollgate(launcher, { upstream, pinning: tools.pinning, folder });
  const environment = { ...reports.environment, ...garbageEnvironment };
  return { tollgate: await startTollgate(setup, name, environment), reports, core: tools.machine.cores[0] ?? 0 };
}

/**
 * Watches a Tollgate without load, with JSON and streams at half of what it bears, and with JSON at full load. Its own
 * maximum counts, as it pays for being watched. Throws if its records do not equal its requests.
 */
export async function measureLoop(
  tools: LoadTools,
  launcher: string,
  upstream: Upstream,
  plan: LoopPlan,
): Promise<LoopHolds[]> {
  const watched = await startWatchedTollgate(tools, launcher, upstream, "loop");
  const { tollgate } = watched;
  try {
    const maxima = {
      json: await maximum(tools, tollgate, "json", plan),
      stream: await maximum(tools, tollgate, "stream", plan),
    };
    const half = (answering: "json" | "stream") => async () => {
      const mode = { kind: "open", seconds: plan.seconds, rate: maxima[answering] / 2 } as const;
      const job = { ...tollgate.call(answering), connections: connectionLimit, mode };
      return (await runClient(tools, job)).answered;
    };
    const full = async () => {
      const mode = { kind: "closed", seconds: plan.seconds, requests: Number.MAX_SAFE_INTEGER } as const;
      const job = { ...tollgate.call("json"), connections: plan.connections, mode };
      return (await runClient(tools, job)).answered;
    };
    const idle = async () => {
      await Bun.sleep(plan.seconds * 500);
      return 0;
    };
    const holds = [
      await watch(watched, "no load: the machine's noise", idle),
      await watch(watched, "JSON, half load", half("json")),
      await watch(watched, "streams, half load", half("stream")),
      await watch(watched, "JSON, full load", full),
    ];
    const records = await settledCount(tollgate.setup.databaseFile, tollgate.ledger.answered);
    const { answered, cut } = tollgate.ledger;
    if (records < answered || records > answered + cut) {
      throw new Error(`${records} records of ${answered} requests to the watched Tollgate, ${cut} more broken off`);
    }
    return holds;
  } finally {
    await tollgate.stop();
  }
}

async function watch(
  { tollgate, reports, core }: WatchedTollgate,
  load: string,
  run: () => Promise<number>,
): Promise<LoopHolds> {
  const { logFile } = tollgate.setup;
  await reports.ask(tollgate.pid);
  const stolenBefore = stolenMilliseconds(core);
  const from = statSync(logFile).size;
  const requests = await run();
  const report = await reports.ask<LoopReport>(tollgate.pid);
  const stolen = stolenMilliseconds(core) - stolenBefore;
  tollgate.ledger.add(requests, 0);
  const share = (report.held[0]?.milliseconds ?? 0) / report.wall;
  return { load, requests, report, share, garbage: readGarbage(textSince(logFile, from)), stolen };
}

/** Answers a second at full load, when warm. */
async function maximum(
  tools: LoadTools,
  contender: Contender,
  answering: Answering,
  { connections, seconds, warmUpSeconds }: LoopPlan,
): Promise<number> {
  let perSecond = 0;
  for (const each of [warmUpSeconds, Math.min(seconds, 3)].filter((each) => each > 0)) {
    const load = await fullLoad(tools, contender, { answering, connections, seconds: each });
    contender.ledger?.add(load.answered, load.cut);
    perSecond = load.answered / load.seconds;
  }
  return perSecond;
}
