import type { OwnCosts } from "./own-costs.ts";
import { ofDayAndModel, type ProviderCosts } from "./read-export.ts";

/** Why a provider's figure and ours differ, as far as that can be told; `none` if they do not. */
export type Cause =
  | "none"
  | "key_used_outside"
  | "not_in_export"
  | "unpriced"
  | "service_tier"
  | "aborted_stream"
  | "price_out_of_date";

/** One day and model. Amounts are whole micro-USD. */
export interface Difference {
  readonly day: string;
  readonly model: string;
  readonly calls: number;
  readonly providerMicrousd: number;
  readonly ownMicrousd: number;
  /** The provider's less ours. */
  readonly differenceMicrousd: number;
  readonly cause: Cause;
}

/** A price is taken for another one if the ratio of both figures is so much the same on all days. */
const sameRatio = 0.005;

/** Compares by day and model, sorted by both. Days that the export does not cover are left out by the caller. */
export function reconcile(provider: ProviderCosts, own: ReadonlyMap<string, OwnCosts>): Difference[] {
  const ratios = ratiosByModel(provider, own);
  return [...new Set([...provider.keys(), ...own.keys()])].sort().map((key) => {
    const [day, model] = ofDayAndModel(key);
    const theirs = provider.get(key) ?? null;
    const ours = own.get(key) ?? null;
    const ownMicrousd = ours?.microusd ?? 0;
    const differenceMicrousd = (theirs ?? 0) - ownMicrousd;
    const cause = causeOf(theirs, ours, ratios.get(model) ?? []);
    const calls = ours?.calls ?? 0;
    return { day, model, calls, providerMicrousd: theirs ?? 0, ownMicrousd, differenceMicrousd, cause };
  });
}

function causeOf(theirs: number | null, ours: OwnCosts | null, ratios: readonly number[]): Cause {
  if (ours === null) return theirs === 0 ? "none" : "key_used_outside";
  const difference = (theirs ?? 0) - ours.microusd;
  // Each call of ours is rounded by itself.
  if (Math.abs(difference) <= ours.calls) return "none";
  if (theirs === null) return "not_in_export";
  if (ours.unpriced > 0 && difference > 0) return "unpriced";
  if (ours.tiered > 0) return "service_tier";
  // An estimate may be wrong by all it comes to.
  if (ours.estimatedMicrousd > 0 && Math.abs(difference) <= ours.estimatedMicrousd) return "aborted_stream";
  const isSteady = ratios.length > 1 && Math.max(...ratios) - Math.min(...ratios) <= sameRatio * Math.max(...ratios);
  return isSteady || difference < 0 ? "price_out_of_date" : "key_used_outside";
}

/** The provider's figure as a part of ours, for each day of a model on which there are both. */
function ratiosByModel(provider: ProviderCosts, own: ReadonlyMap<string, OwnCosts>): Map<string, number[]> {
  const ratios = new Map<string, number[]>();
  for (const [key, { model, microusd }] of own) {
    const theirs = provider.get(key);
    if (theirs === undefined || microusd === 0) continue;
    const known = ratios.get(model) ?? [];
    known.push(theirs / microusd);
    ratios.set(model, known);
  }
  return ratios;
}
