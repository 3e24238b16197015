import { median } from "../bench/statistics.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Finding, some } from "./finding.ts";
import type { LogSummary } from "./evidence.ts";
import type { Ledger } from "./ledger.ts";
import type { Sample } from "./watch.ts";
import { drainMs, limits, maxInFlight } from "./world.ts";

/** Minimum duration of a run for judging memory: before, the process grows to its working size. */
const minSecondsForMemory = 300;
/** See README.md for the reasons. */
const memoryGrowth = { share: 0.1, megabytes: 10 };
const moreOpenFiles = 16;
const maxWakes = 20;
const maxCpu = 20;

/** Judges the resources and the log of the process. */
export function judgeProcess(
  filesBefore: number,
  samples: readonly Sample[],
  after: Aftermath,
  log: LogSummary,
  ledger: Pick<Ledger, "failures" | "failureCount" | "lookups">,
): Finding[] {
  const { idle, stop } = after;
  return [
    {
      name: "no broken, missing or wrong answer",
      text: `${ledger.failureCount} failures, ${ledger.lookups} records looked up${some(ledger.failures)}`,
      ok: ledger.failureCount === 0,
    },
    {
      name: "no error in the log",
      text: `${log.alarmCount} lines${some(log.alarms)}`,
      ok: log.alarmCount === 0,
    },
    { name: "calls in flight when idle", text: `${after.callsInFlight}, must be 0`, ok: after.callsInFlight === 0 },
    {
      name: "connections to upstreams when idle",
      text: `${after.upstreamConnections}, must be 0`,
      ok: after.upstreamConnections === 0,
    },
    {
      name: "open files when idle",
      text: `${after.openFiles}, ${filesBefore} before the load, at most ${moreOpenFiles} more`,
      ok: after.openFiles <= filesBefore + moreOpenFiles,
    },
    {
      name: "timers when idle",
      text: `woken ${idle.wakes.toFixed(1)} times per second, at most ${maxWakes}`,
      ok: idle.wakes <= maxWakes,
    },
    {
      name: "CPU when idle",
      text: `${idle.cpu.toFixed(1)} ms per second, at most ${maxCpu}`,
      ok: idle.cpu <= maxCpu,
    },
    judgeMemory(samples),
    {
      name: "capacity of the gateway was freed",
      text: `${after.placesTaken} of ${maxInFlight} admitted, one more ${after.refusedOneMore ? "refused" : "ADMITTED"}`,
      ok: after.placesTaken === maxInFlight && after.refusedOneMore,
    },
    {
      name: "concurrency of the limited key was freed",
      text: `${after.keyPlacesTaken} of ${limits.concurrent} admitted, one more ${after.keyRefusedOneMore ? "refused" : "ADMITTED"}`,
      ok: after.keyPlacesTaken === limits.concurrent && after.keyRefusedOneMore,
    },
    {
      name: "requests per minute of the limited key were freed",
      text: `${after.requestsLeftInMinute} of ${limits.requestsPerMinute} requests left`,
      ok: after.requestsLeftInMinute === limits.requestsPerMinute - limits.concurrent,
    },
    {
      name: "SIGTERM during work",
      text: `exit ${stop.exitCode} after ${Math.round(stop.milliseconds)} ms (bound ${drainMs}), ${stop.whole} of ${stop.streams} streams complete`,
      ok: stop.exitCode === 0 && stop.milliseconds < drainMs && stop.whole === stop.streams,
    },
  ];
}

/** Compares the last quarter of the run with the second, because the process grows in the first. */
export function judgeMemory(samples: readonly Sample[]): Finding {
  const quarter = (number: number) => {
    const from = (samples.length * (number - 1)) / 4;
    return median(samples.slice(from, (samples.length * number) / 4).map((each) => each.residentMegabytes));
  };
  const [second, last] = [quarter(2), quarter(4)];
  const bound = second * (1 + memoryGrowth.share) + memoryGrowth.megabytes;
  const seconds = samples.at(-1)?.at ?? 0;
  const isJudged = seconds >= minSecondsForMemory * 0.95;
  const text = `${last.toFixed(0)} MB in the last quarter, ${second.toFixed(0)} MB in the second, at most ${bound.toFixed(0)}`;
  return {
    name: "resident memory",
    text: isJudged ? text : `${text} (not judged in less than ${minSecondsForMemory} s)`,
    ok: isJudged ? last <= bound : null,
  };
}
