import { readBars, verdict } from "./bars.ts";
import type { ByContender } from "../contenders/contender.ts";
import { chunksPerStream } from "../payload/words.ts";
import type { RecordCheck } from "../records.ts";
import type { Results } from "./results.ts";
import type { Allocation } from "../sections/allocation.ts";
import type { Attack } from "../sections/attacks.ts";
import type { Latency } from "../sections/latency.ts";
import type { LoopHolds } from "../sections/loop.ts";
import type { Memory } from "../sections/memory.ts";
import type { Routing } from "../sections/routing.ts";
import type { Start } from "../sections/start.ts";
import type { Throughput } from "../sections/throughput.ts";
import type { SearchCost } from "../sections/search.ts";
import type { AnswerCost, WayCost } from "../sections/translation.ts";
import { median } from "./statistics.ts";
import { figure, formatTable, ratio } from "./table.ts";

const disturbedFromMilliseconds = 0.5;

/** The whole run as text: ratios to the baseline of the same run first, bare figures beside them. */
export function formatReport(results: Results): string {
  const { json, streams, burst, latency, memory, translation, search, routing, loop, attacks, start } = results;
  return [
    results.quick ? "A quick run: it shows that all works. Its figures mean nothing.\n\n" : "",
    json ? throughputTable("JSON, full load", "request", json) : "",
    streams ? throughputTable("Streams of paced chunks, the same number open at each", "chunk", streams) : "",
    burst ? throughputTable("Streams of 100 chunks at once, full load", "answer", burst) : "",
    latency
      ? latencyTable(`JSON at ${figure(latency.jsonRate)} requests/s (half load), whole answer`, latency.json)
      : "",
    latency
      ? latencyTable(`Streams at ${figure(latency.streamRate)}/s (half load), time to first chunk`, latency.streams)
      : "",
    latency ? disturbance(latency.json.direct) : "",
    memory ? memoryTable(memory) : "",
    translation ? translationTable(translation) : "",
    search ? searchTable(search) : "",
    routing ? routingTables(routing) : "",
    loop ? loopTables(loop.holds, loop.allocation) : "",
    attacks ? attackTable(attacks) : "",
    start ? startTable(start) : "",
    ...entries(results.records).map(([name, check]) => recordWords(name, check)),
    barTable(results),
  ].join("");
}

function throughputTable(title: string, unit: string, measured: ByContender<Throughput>): string {
  const rows = entries(measured).map(([name, { perSecond, cpuMicroseconds }]) => [
    name,
    ratio(perSecond, measured.direct?.perSecond),
    figure(perSecond),
    ratio(cpuMicroseconds, measured.nginx?.cpuMicroseconds),
    figure(cpuMicroseconds, 1),
  ]);
  return formatTable(title, ["", `${unit}s/s of direct`, `${unit}s/s`, `CPU per ${unit} of nginx`, "CPU us"], rows);
}

function latencyTable(title: string, measured: ByContender<Latency>): string {
  const rows = entries(measured).map(([name, { measured: total, added, sendDelay }]) => [
    name,
    ratio(total.p50, measured.direct?.measured.p50),
    figure(total.p50, 3),
    figure(added.p50, 3),
    ratio(total.p99, measured.direct?.measured.p99),
    figure(total.p99, 3),
    figure(added.p99, 3),
    figure(sendDelay.p99, 3),
  ]);
  const head = ["", "p50 of direct", "p50 ms", "added", "p99 of direct", "p99 ms", "added", "client's own p99"];
  return formatTable(title, head, rows);
}

/** Nothing on the direct way could hold the client up: if it was late, the machine was busy with something else. */
function disturbance(direct: Latency | undefined): string {
  const late = direct?.sendDelay.p99 ?? 0;
  if (late <= disturbedFromMilliseconds) return "";
  return `The machine was disturbed: the load client itself sent ${figure(late, 2)} ms late (p99). Measure again.\n\n`;
}

function memoryTable(measured: ByContender<Memory>): string {
  const rows = entries(measured).map(([name, { atStart, afterLoad, withStreams }]) => [
    name,
    figure(atStart),
    figure(afterLoad),
    figure(withStreams),
    ratio(withStreams, measured.nginx?.withStreams),
  ]);
  const streams = figure(Object.values(measured)[0]?.streams);
  return formatTable("Resident memory, MB", ["", "at start", "after load", `${streams} streams`, "of nginx"], rows);
}

/** The cost of the same gateway if caller and provider speak one dialect, and if they do not. */
function translationTable(ways: readonly WayCost[]): string {
  const beside = ({ ofPassThrough }: AnswerCost) => (ofPassThrough === null ? "-" : `${ofPassThrough.toFixed(2)}x`);
  const rows = ways.map(({ caller, provider, json, stream }) => [
    `${caller} to ${provider}`,
    beside(json),
    figure(json.cpuMicroseconds, 1),
    beside(stream),
    figure(stream.cpuMicroseconds),
    figure(stream.cpuMicroseconds / chunksPerStream, 1),
  ]);
  const head = [
    "caller to provider",
    "JSON of pass-through",
    "CPU us",
    "stream of pass-through",
    "CPU us",
    "CPU us a chunk",
  ];
  return formatTable("Translation, beside the pass-through of the same caller", head, rows);
}

function searchTable(costs: readonly SearchCost[]): string {
  const rows = costs.map(({ provider, cpuMicroseconds, added }) => [
    provider,
    figure(cpuMicroseconds, 1),
    figure(added, 1),
  ]);
  return formatTable("A search with ten results", ["provider", "CPU us", "us more than chat"], rows);
}

/** The cost of a policy of three targets compared with a model by its own name, and the effect of a failing target on callers. */
function routingTables({ plan, directCpuMicroseconds, policies, rate, failing }: Routing): string {
  const deciding = Object.entries(plan.added).map(([strategy, added]) => [strategy, figure(added, 2)]);
  const costs = policies.map(({ strategy, cpuMicroseconds, ofDirect, added }) => [
    strategy,
    `${ofDirect.toFixed(3)}x`,
    figure(cpuMicroseconds, 1),
    figure(added, 1),
  ]);
  const latencies = failing.map(({ strategy, fault, measured, ofHealthy, requests, probes, slowestMilliseconds }) => [
    `${strategy}, ${fault}`,
    `${ofHealthy.toFixed(2)}x`,
    figure(measured.p99, 3),
    figure(measured.p50, 3),
    figure(probes),
    figure(requests),
    figure(slowestMilliseconds),
  ]);
  return [
    formatTable(
      `Choosing a target, in process (direct: ${figure(plan.direct, 2)} us)`,
      ["policy of three", "us more"],
      deciding,
    ),
    formatTable(
      `CPU a request at full load (direct: ${figure(directCpuMicroseconds, 1)} us)`,
      ["policy of three", "of direct", "CPU us", "us more"],
      costs,
    ),
    formatTable(
      `One target of three fails, its circuit open; ${figure(rate)} requests/s`,
      ["policy", "p99 of healthy", "p99 ms", "p50 ms", "probes", "of requests", "slowest ms"],
      latencies,
    ),
  ].join("");
}

function recordWords(name: string, { drained, wholeRun, equal }: RecordCheck): string {
  const verdictWord = `${name}: ${equal ? "records equal requests" : "RECORDS DO NOT EQUAL REQUESTS"}`;
  return [
    `${verdictWord}. ${figure(drained.records)} records of ${figure(drained.answered)} requests in a load waited for to its end;`,
    `in the whole run ${figure(wholeRun.records)} records, ${figure(wholeRun.answered)} requests answered and at most ` +
      `${figure(wholeRun.cut)} broken off by the load tools.`,
    "",
    "",
  ].join("\n");
}

/** In which turns of the event loop its time went, and what a request leaves for the garbage collector. */
function loopTables(holds: readonly LoopHolds[], { bytes, rounds, requests }: Allocation): string {
  const rows = holds.map(({ load, share, report, garbage, stolen }) => [
    load,
    `${(share * 100).toFixed(2)}%`,
    ...report.held.map(({ turns }) => figure(turns)),
    figure(report.longest, 1),
    figure(report.blocked),
    figure(report.turns),
    figure(report.waitedForCore),
    figure(stolen),
    figure(garbage.collections),
    figure(garbage.milliseconds),
    figure(garbage.longest, 1),
  ]);
  const [first] = holds;
  const head = [
    "",
    "time in turns > 2 ms",
    ...(first?.report.held ?? []).map(({ aboveMilliseconds }) => `> ${aboveMilliseconds} ms`),
    "longest ms",
    "of them blocked ms",
    "of turns",
    "waited for a core ms",
    "stolen ms",
    "collections",
    "paused ms",
    "longest",
  ];
  const objects = median(rounds.map((round) => round.objects));
  return [
    formatTable("Event loop, turns by how long they held it", head, rows),
    `Allocated by a JSON request: ${figure(bytes)} bytes, of them ${figure(objects)} in objects and the rest outside the heap; `,
    `${rounds.length} round(s) of ${figure(requests)} requests: ${rounds.map((round) => figure(round.objects + round.outside)).join(", ")}.\n\n`,
  ].join("");
}

function attackTable(attacks: readonly Attack[]): string {
  const rows = attacks.map(({ name, megabytes, status, milliseconds, hold, maxHold }) => [
    name,
    figure(megabytes, 1),
    status === null ? "none" : String(status),
    figure(milliseconds),
    figure(hold, 1),
    figure(maxHold, 1),
  ]);
  const head = ["", "MB sent", "status", "answered in ms", "loop held ms", "longest of the tries"];
  return formatTable("Hostile bodies: the longest turn of the event loop", head, rows);
}

function startTable(measured: ByContender<Start>): string {
  const rows = entries(measured).map(([name, start]) => [
    name,
    figure(start.median),
    start.runs.map((run) => figure(run)).join(", "),
  ]);
  return formatTable("Start to first answer, ms", ["", "median", "each"], rows);
}

function barTable(results: Results): string {
  const rows = readBars(results).map((bar) => [
    bar.name,
    bar.value === null ? "-" : `${figure(bar.value, 2)} ${bar.unit}`,
    `${bar.limit} ${bar.unit}`,
    verdict(bar),
  ]);
  return formatTable("Bars", ["", "measured", "at most", "verdict"], rows);
}

function entries<Value>(measured: ByContender<Value>): [string, Value][] {
  return Object.entries(measured).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
}
