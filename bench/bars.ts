import type { Ailment } from "./routing/configuration.ts";
import type { Results } from "./results.ts";

/** A limit that Tollgate is to stay within. */
export interface Bar {
  readonly name: string;
  readonly unit: string;
  readonly limit: number;
  /** Null where this run did not measure it. */
  readonly value: number | null;
}

/** The bars, with what this run measured of them. */
export function readBars(results: Results): Bar[] {
  const added = results.latency?.json.tollgate?.added;
  const memory = results.memory?.tollgate;
  return [
    { name: "CPU a JSON request", unit: "x nginx", limit: 2.5, value: cpuRatio(results.json) },
    { name: "CPU a chunk", unit: "x nginx", limit: 1.5, value: cpuRatio(results.streams) },
    { name: "p50 added at half load", unit: "ms", limit: 0.6, value: added?.p50 ?? null },
    { name: "p99 added at half load", unit: "ms", limit: 2, value: added?.p99 ?? null },
    { name: `${memory?.streams ?? 2000} open streams`, unit: "MB", limit: 250, value: memory?.withStreams ?? null },
    ...translationBars(results.translation),
    ...routingBars(results.routing),
    { name: "start to first answer", unit: "ms", limit: 500, value: results.start?.median ?? null },
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
  const bar = { unit: "x pass-through", limit: 2.5 };
  if (ways === null) return [{ name: "stream, translated", ...bar, value: null }];
  return ways.flatMap(({ caller, provider, stream }) =>
    stream.ofPassThrough === null
      ? []
      : [{ name: `stream, ${caller} to ${provider}`, ...bar, value: stream.ofPassThrough }],
  );
}

/** Of several strategies the one that costs most counts. */
function routingBars(routing: Results["routing"]): Bar[] {
  const worst = (values: readonly number[] | undefined) => (values ? Math.max(...values) : null);
  const ratio = (ailment: Ailment) =>
    worst(routing?.ailing.flatMap((each) => (each.ailment === ailment ? [each.ofHealthy] : [])));
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

function cpuRatio(throughput: Results["json"]): number | null {
  const [tollgate, nginx] = [throughput?.tollgate?.cpuMicroseconds, throughput?.nginx?.cpuMicroseconds];
  return tollgate && nginx ? tollgate / nginx : null;
}
