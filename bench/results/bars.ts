import type { TargetFault } from "../routing/configuration.ts";
import type { Results } from "./results.ts";

/** A limit that Tollgate is to stay within. */
export interface Bar {
  readonly name: string;
  readonly unit: string;
  readonly limit: number;
  /** Null if this run did not measure it. */
  readonly value: number | null;
}

/** The bars, with what this run measured of them. */
export function readBars(results: Results): Bar[] {
  const added = results.latency?.json.tollgate?.added;
  const memory = results.memory?.tollgate;
  return [
    { name: "CPU of a JSON request", unit: "x nginx", limit: 4.5, value: cpuRatio(results.json) },
    { name: "CPU of a paced chunk", unit: "x nginx", limit: 1.8, value: cpuRatio(results.streams) },
    { name: "CPU of 100 chunks at once", unit: "x nginx", limit: 9, value: cpuRatio(results.burst) },
    { name: "p50 added at half load", unit: "ms", limit: 0.35, value: added?.p50 ?? null },
    { name: "p99 added at half load", unit: "ms", limit: 2, value: added?.p99 ?? null },
    { name: `${memory?.streams ?? 2000} open streams`, unit: "MB", limit: 125, value: memory?.withStreams ?? null },
    { name: "start to first answer", unit: "ms", limit: 500, value: results.start?.tollgate?.median ?? null },
    ...translationBars(results.translation),
    {
      name: "search with ten results, beyond a chat request",
      unit: "us",
      limit: 150,
      value: worst(results.search?.map(({ added }) => added)),
    },
    ...routingBars(results.routing),
    ...loopBars(results),
  ];
}

/** Reached, or missed by how much. */
export function verdict({ value, limit, unit }: Bar): string {
  if (value === null) return "not measured";
  if (value <= limit) return "reached";
  const percent = Math.round((value / limit - 1) * 100);
  return `MISSED by ${(value - limit).toFixed(2)} ${unit} (${percent}%)`;
}

/** One for each translated way: what a stream of 100 chunks costs beside the pass-through of the same caller. */
function translationBars(ways: Results["translation"]): Bar[] {
  const bar = { unit: "x pass-through", limit: 2 };
  if (ways === null) return [{ name: "stream, translated", ...bar, value: null }];
  return ways.flatMap(({ caller, provider, stream }) =>
    stream.ofPassThrough === null
      ? []
      : [{ name: `stream, ${caller} to ${provider}`, ...bar, value: stream.ofPassThrough }],
  );
}

/** Of several strategies the one that costs most counts. */
function routingBars(routing: Results["routing"]): Bar[] {
  const ratio = (fault: TargetFault) =>
    worst(routing?.failing.flatMap((each) => (each.fault === fault ? [each.ofHealthy] : [])));
  return [
    {
      name: "deciding for a policy of three",
      unit: "us more",
      limit: 5,
      value: worst(routing ? Object.values(routing.plan.added) : undefined),
    },
    {
      name: "CPU a request to it",
      unit: "us more",
      limit: 5,
      value: worst(routing?.policies.map(({ added }) => added)),
    },
    { name: "p99, one target of three dead", unit: "x healthy", limit: 1.2, value: ratio("dead") },
    { name: "p99, one target of three stalls", unit: "x healthy", limit: 1.2, value: ratio("stalling") },
  ];
}

/** Full load is left out: whatever answers 32 requests that came together has long turns. */
function loopBars({ loop, attacks }: Results): Bar[] {
  const atHalfLoad = loop?.holds.filter(({ load }) => load.endsWith("half load"));
  const share = worst(atHalfLoad?.map(({ share }) => share * 100));
  const kilobytes = loop ? loop.allocation.bytes / 1000 : null;
  return [
    { name: "time in turns over 2 ms at half load", unit: "%", limit: 1, value: share },
    { name: "allocated by a JSON request", unit: "kB", limit: 4, value: kilobytes },
    { name: "longest hold by a hostile body", unit: "ms", limit: 50, value: worst(attacks?.map(({ hold }) => hold)) },
  ];
}

function worst(values: readonly number[] | undefined): number | null {
  return values ? Math.max(...values) : null;
}

function cpuRatio(throughput: Results["json"]): number | null {
  const [tollgate, nginx] = [throughput?.tollgate?.cpuMicroseconds, throughput?.nginx?.cpuMicroseconds];
  return tollgate && nginx ? tollgate / nginx : null;
}
