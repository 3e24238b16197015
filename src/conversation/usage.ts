import {
  addQuantity,
  dimensionNames,
  type MutableQuantities,
  type Quantities,
  type Side,
  sideOf,
} from "../dimensions.ts";
import type { JsonObject } from "../json/values.ts";

/** The state of one side's figure: absent, preliminary (more may follow), or final. */
export type SideReport = "none" | "so_far" | "final";

/**
 * Usage as a provider reported it, in the neutral form that every dialect's usage reader yields. A reader takes
 * what is reported for final; `asObserved` says what it is worth in an answer that breaks off.
 */
export interface ReportedUsage {
  /** Only what the provider reported. Of a side that is reported there is an entry, even if it is 0. */
  readonly quantities: Quantities;
  readonly input: SideReport;
  readonly output: SideReport;
  /** How many of the uncached tokens are of kinds that some models price apart: audio, images. Part of `quantities`. */
  readonly parts?: Quantities;
  /** The service tier, in the provider's own word; absent if it names none. */
  readonly serviceTier?: string;
  /** What the answer cost in USD, if the provider tells it elsewhere than in `raw`. */
  readonly costUsd?: number;
  /** The part of `output` spent on reasoning, if told. Informational: never charged by itself. */
  readonly reasoning: number | null;
  /** The provider's usage object, untouched; of several calls `{rounds}`, which lists them. */
  readonly raw: JsonObject;
  /** The reports of the calls that this one is the sum of; absent if it is of one call. */
  readonly rounds?: readonly ReportedUsage[];
}

/** The report of a provider that says nothing. */
export const nothingReported: ReportedUsage = {
  quantities: {},
  input: "none",
  output: "none",
  reasoning: null,
  raw: {},
};

/**
 * The usage after a later report of the same answer. Reports are cumulative, so the later one stands, each side by
 * itself, but one that is emptier than the earlier takes nothing away: a last chunk without counts, or with zeros.
 */
export function laterUsage(known: ReportedUsage | null, later: ReportedUsage | null): ReportedUsage | null {
  if (known === null || later === null) return later ?? known;
  const input = isEmptier(later, known, "input") ? known : later;
  const output = isEmptier(later, known, "output") ? known : later;
  const searches = Math.max(known.quantities.web_search ?? 0, later.quantities.web_search ?? 0);
  const serviceTier = later.serviceTier ?? known.serviceTier;
  const isWhole = input === output && searches === (input.quantities.web_search ?? 0);
  if (isWhole && input.serviceTier === serviceTier) return input;
  const quantities: MutableQuantities = {};
  for (const name of dimensionNames) {
    const side = sideOf(name);
    const quantity = side === null ? undefined : (side === "input" ? input : output).quantities[name];
    if (quantity !== undefined) quantities[name] = quantity;
  }
  addQuantity(quantities, "web_search", searches);
  const raw = input === output ? input.raw : { ...known.raw, ...later.raw };
  return {
    quantities,
    input: input.input,
    output: output.output,
    ...joinedParts(input.parts, output.parts),
    ...(serviceTier === undefined ? {} : { serviceTier }),
    reasoning: output.reasoning,
    raw,
  };
}

/** The parts of each side from the report that stands for it. */
function joinedParts(input: Quantities | undefined, output: Quantities | undefined): Pick<ReportedUsage, "parts"> {
  if (input === output) return input === undefined ? {} : { parts: input };
  const parts: MutableQuantities = {};
  for (const name of dimensionNames) {
    const quantity = (sideOf(name) === "input" ? input : output)?.[name];
    if (quantity !== undefined) parts[name] = quantity;
  }
  return { parts };
}

function isEmptier(later: ReportedUsage, known: ReportedUsage, side: Side): boolean {
  if (known[side] === "none") return false;
  return later[side] === "none" || (isZero(later.quantities, side) && !isZero(known.quantities, side));
}

function isZero(quantities: Quantities, side: Side): boolean {
  return dimensionNames.every((name) => sideOf(name) !== side || (quantities[name] ?? 0) === 0);
}

/**
 * The usage of an answer reported so far. Unless it is final, the output is preliminary: vendors say 1 at the
 * beginning of a stream, or what they have counted so far.
 */
export function asObserved(usage: ReportedUsage | null, isFinal: boolean): ReportedUsage | null {
  return isFinal || usage === null || usage.output !== "final" ? usage : { ...usage, output: "so_far" };
}
