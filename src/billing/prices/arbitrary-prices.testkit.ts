import * as fc from "fast-check";
import { dimensionNames } from "../../dimensions.ts";
import type { PriceDocument } from "./price-document.ts";

export const noon = Date.UTC(2026, 10, 22, 12);
export const night = Date.UTC(2026, 10, 22, 23);

/** Micro-USD. */
export const anyRate = fc.nat(50_000_000);

const rates = fc.record(Object.fromEntries(dimensionNames.map((name) => [name, anyRate])), { requiredKeys: ["input"] });

/** Prices of any dimensions, with tiers, a service tier `flex`, and a window that `night` is in. */
export const anyDocument: fc.Arbitrary<PriceDocument> = fc
  .record({
    base: rates,
    tiers: fc.uniqueArray(fc.tuple(fc.nat(1_000_000), rates), { selector: ([above]) => above, maxLength: 3 }),
    flex: fc.option(rates, { nil: undefined }),
    window: fc.option(rates, { nil: undefined }),
  })
  .map(({ base, tiers, flex, window }) => ({
    ...base,
    tiers: tiers.map(([above, each]) => ({ ...each, above_input_tokens: above })),
    ...(flex ? { service_tiers: { flex } } : {}),
    ...(window ? { windows: [{ ...window, from: "20:00", to: "02:00", time_zone: "UTC" }] } : {}),
  }));

/** Facts that any of the conditions may apply to. */
export const anyFacts = fc.record({
  at: fc.constantFrom(noon, night),
  serviceTier: fc.constantFrom(null, "flex", "default"),
  providerCost: fc.constant(null),
});
