import { median } from "../bench/results/statistics.ts";
import type { Aftermath } from "./aftermath.ts";
import { type Finding, some } from "./finding.ts";
import type { LogTale } from "./kept.ts";
import type { Ledger } from "./ledger.ts";
import type { Sample } from "./watch.ts";
import { drainMs, limits, maxInFlight } from "./world.ts";

/** Memory is judged only in runs of at least this many seconds: before, it still grows to its working size. */
const minSecondsForMemory = 300;
/** README.md says where these come from. */
const memoryGrowth = { share: 0.1, megabytes: 10 };
const moreOpenFiles = 16;
const maxWakes = 20;
const maxCpu = 20;

/** Whether the process released what it took, and what its log says. */
export function judgeProcess(
  filesBefore: number,
  samples: readonly Sample[],
  after: Aftermath,
  log: LogTale,
  ledger: Pick<Ledger, "incidents" | "incidentCount" | "lookups">,
): Finding[] {
  const { idle, stop } = after;
  return [
    {
      name: "no answer torn, missing or wrong",
      detail: `${ledger.incidentCount} incidents, ${ledger.lookups} records looked up at once${some(ledger.incidents)}`,
      ok: ledger.incidentCount === 0,
    },
    {
      name: "no error in the log",
      detail: `${log.alarmCount} lines${some(log.alarms)}`,
      ok: log.alarmCount === 0,
    },
    { name: "calls in flight at rest", detail: `${after.callsInFlight}, must be 0`, ok: after.callsInFlight === 0 },
    {
      name: "connections to upstreams at rest",
      detail: `${after.upstreamConnections}, must be 0`,
      ok: after.upstreamConnections === 0,
    },
    {
      name: "open files at rest",
      detail: `${after.openFiles}, ${filesBefore} before the load, at most ${moreOpenFiles} more`,
      ok: after.openFiles <= filesBefore + moreOpenFiles,
    },
    {
      name: "timers at rest",
      detail: `woken ${idle.wakes.toFixed(1)} times a second, at most ${maxWakes}`,
      ok: idle.wakes <= maxWakes,
    },
    {
      name: "CPU at rest",
      detail: `${idle.cpu.toFixed(1)} ms a second, at most ${maxCpu}`,
      ok: idle.cpu <= maxCpu,
    },
    judgeMemory(samples),
    {
      name: "capacity of the gateway was released",
      detail: `${after.placesTaken} of ${maxInFlight} taken at once, one more ${after.refusedOneMore ? "refused" : "TAKEN"}`,
      ok: after.placesTaken === maxInFlight && after.refusedOneMore,
    },
    {
      name: "capacity of the limited key was released",
      detail: `${after.keyPlacesTaken} of ${limits.concurrent} taken at once, one more ${after.keyRefusedOneMore ? "refused" : "TAKEN"}`,
      ok: after.keyPlacesTaken === limits.concurrent && after.keyRefusedOneMore,
    },
    {
      name: "its requests a minute were released",
      detail: `${after.requestsLeftInMinute} of ${limits.requestsPerMinute} requests left when these were taken`,
      ok: after.requestsLeftInMinute === limits.requestsPerMinute - limits.concurrent,
    },
    {
      name: "SIGTERM under load",
      detail: `exit ${stop.exitCode} after ${Math.round(stop.milliseconds)} ms (bound ${drainMs}), ${stop.whole} of ${stop.streams} streams whole`,
      ok: stop.exitCode === 0 && stop.milliseconds < drainMs && stop.whole === stop.streams,
    },
  ];
}

/** The last quarter of the run against the second: the first is not yet at its working size. */
export function judgeMemory(samples: readonly Sample[]): Finding {
  const quarter = (number: number) => {
    const from = (samples.length * (number - 1)) / 4;
    return median(samples.slice(from, (samples.length * number) / 4).map((each) => each.residentMegabytes));
  };
  const [second, last] = [quarter(2), quarter(4)];
  const bound = second * (1 + memoryGrowth.share) + memoryGrowth.megabytes;
  const seconds = samples.at(-1)?.at ?? 0;
  const isJudged = seconds >= minSecondsForMemory * 0.95;
  const detail = `${last.toFixed(0)} MB in the last quarter, ${second.toFixed(0)} MB in the second, at most ${bound.toFixed(0)}`;
  return {
    name: "resident memory",
    detail: isJudged ? detail : `${detail} (not judged in less than ${minSecondsForMemory} s)`,
    ok: isJudged ? last <= bound : null,
  };
}
