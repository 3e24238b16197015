import type { ReportedUsage, SideReport } from "../conversation/usage.ts";
import {
  addQuantity,
  dimensionNames,
  listDimensions,
  type MutableQuantities,
  type Quantities,
  type Side,
  sideOf,
  sumOf,
  unitOf,
} from "../dimensions.ts";
import type { MeasurementSource, Usage } from "./usage.ts";

/** Local figures for what a provider does not report. Asked only when they are needed. */
export interface UsageEstimates {
  readonly input: () => Promise<Quantities>;
  readonly output: () => Promise<Quantities>;
}

/**
 * The usage of a request. Each side is measured separately: by the provider's final count, else estimated, but never
 * below the provider's preliminary count. If the estimate fails, the preliminary count is used, else 0, and the source
 * is `unavailable`. At once if the provider reported both.
 */
export function measure(reported: ReportedUsage | null, estimates: UsageEstimates): Usage | Promise<Usage> {
  return measured(reported) ?? measureSides(reported, estimates);
}

/** The usage of a request if the provider has reported all of it; else null. */
export function measured(reported: ReportedUsage | null): Usage | null {
  if (reported === null || reported.input !== "final" || reported.output !== "final") return null;
  return { dimensions: listDimensions(reported.quantities), measurement: byProvider };
}

const byProvider = { input: "provider", output: "provider" } as const;

async function measureSides(reported: ReportedUsage | null, estimates: UsageEstimates): Promise<Usage> {
  const quantities: MutableQuantities = { ...reported?.quantities };
  const [input, output] = await Promise.all([
    measureSide("input", reported?.input, estimates.input, quantities),
    measureSide("output", reported?.output, estimates.output, quantities),
  ]);
  return { dimensions: listDimensions(quantities), measurement: { input, output } };
}

async function measureSide(
  side: Side,
  report: SideReport | undefined,
  estimate: () => Promise<Quantities>,
  quantities: MutableQuantities,
): Promise<MeasurementSource> {
  if (report === "final") return "provider";
  try {
    raiseTo(await estimate(), side, quantities);
    return "local_estimate";
  } catch {
    // A request must end in its record even so.
    raiseTo({ [side]: 0 }, side, quantities);
    return "unavailable";
  }
}

/** Adds what an estimate has above what was counted of the same unit on that side. */
function raiseTo(estimate: Quantities, side: Side, quantities: MutableQuantities): void {
  for (const name of dimensionNames) {
    const quantity = estimate[name];
    if (quantity === undefined) continue;
    const missing = quantity - sumOf(quantities, unitOf(name), sideOf(name) ?? side);
    addQuantity(quantities, name, missing);
    if (!hasSide(quantities, side)) quantities[name] = 0;
  }
}

function hasSide(quantities: Quantities, side: Side): boolean {
  return dimensionNames.some((name) => sideOf(name) === side && quantities[name] !== undefined);
}
