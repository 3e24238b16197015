import type { ByContender } from "../contenders/contender.ts";
import type { RecordCheck } from "../records.ts";
import type { Allocation } from "../sections/allocation.ts";
import type { Attack } from "../sections/attacks.ts";
import type { Latency } from "../sections/latency.ts";
import type { LoopHolds } from "../sections/loop.ts";
import type { Memory } from "../sections/memory.ts";
import type { Routing } from "../sections/routing.ts";
import type { SearchCost } from "../sections/search.ts";
import type { Start } from "../sections/start.ts";
import type { Throughput } from "../sections/throughput.ts";
import type { WayCost } from "../sections/translation.ts";

/** Everything one run measured; a section that was not asked for is null. This is what `--json` writes. */
export interface Results {
  readonly startedAt: string;
  readonly quick: boolean;
  /** Sentences on the machine and the set-up, as printed above the tables. */
  readonly setting: readonly string[];
  readonly json: ByContender<Throughput> | null;
  /** By the chunk. */
  readonly streams: ByContender<Throughput> | null;
  /** By the answer. */
  readonly burst: ByContender<Throughput> | null;
  readonly latency: {
    /** Requests, and streams begun, a second. */
    readonly jsonRate: number;
    readonly streamRate: number;
    readonly json: ByContender<Latency>;
    readonly streams: ByContender<Latency>;
  } | null;
  readonly memory: ByContender<Memory> | null;
  /** Way by way; the pass-throughs among them. */
  readonly translation: readonly WayCost[] | null;
  readonly search: readonly SearchCost[] | null;
  readonly routing: Routing | null;
  readonly loop: { readonly holds: readonly LoopHolds[]; readonly allocation: Allocation } | null;
  readonly attacks: readonly Attack[] | null;
  readonly start: ByContender<Start> | null;
  /** Of each Tollgate. */
  readonly records: ByContender<RecordCheck>;
}
