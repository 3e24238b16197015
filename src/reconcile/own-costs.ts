import type { UsageRecord } from "../records/record.ts";
import { dayAndModel } from "./read-export.ts";

/** What this gateway has asked of a provider on one day, of one model by the provider's own name. */
export interface OwnCosts {
  readonly day: string;
  readonly model: string;
  calls: number;
  /** What they should have cost, in whole micro-USD. */
  microusd: number;
  /** Of that, what was estimated, because the provider reported no usage: of calls that were broken off, for one. */
  estimatedMicrousd: number;
  /** Calls that were answered at no known price. */
  unpriced: number;
  /** Calls whose answer names another service tier than the usual one. */
  tiered: number;
}

const usualTiers: readonly unknown[] = [undefined, null, "default", "standard", "auto"];

/** Adds the calls of a record to a provider to the sums. */
export function addCalls(sums: Map<string, OwnCosts>, record: UsageRecord, provider: string): void {
  const day = new Date(record.createdAt).toISOString().slice(0, 10);
  for (const attempt of record.attempts) {
    if (attempt.provider !== provider) continue;
    const key = dayAndModel(day, attempt.upstreamModel);
    let own = sums.get(key);
    if (own === undefined) {
      const { upstreamModel: model } = attempt;
      own = { day, model, calls: 0, microusd: 0, estimatedMicrousd: 0, unpriced: 0, tiered: 0 };
      sums.set(key, own);
    }
    own.calls += 1;
    own.microusd += attempt.costMicrousd;
    if (attempt.cost === "estimated") own.estimatedMicrousd += attempt.costMicrousd;
    if (attempt.outcome !== "answered") continue;
    if (record.billing.status === "unpriced") own.unpriced += 1;
    const { service_tier: tier } = record.providerUsage?.rawFields ?? {};
    if (!usualTiers.includes(tier)) own.tiered += 1;
  }
}
