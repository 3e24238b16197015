import { addQuantity, dimensionNames, type MutableQuantities, type Quantities } from "../../dimensions.ts";
import type { ReportedUsage, SideReport } from "../usage.ts";

/** What the calls of one answer have used in all; null if none has reported anything. */
export function sumUsage(reports: readonly (ReportedUsage | null)[]): ReportedUsage | null {
  const known = reports.filter((report) => report !== null);
  const [first] = known;
  if (first === undefined) return null;
  if (reports.length === 1) return first;
  const isComplete = known.length === reports.length;
  const serviceTier = known.findLast((report) => report.serviceTier !== undefined)?.serviceTier;
  const parts = known.flatMap((report) => report.parts ?? []);
  const reasoning = known.flatMap((report) => report.reasoning ?? []);
  return {
    quantities: sumQuantities(known.map(({ quantities }) => quantities)),
    input: jointReport(
      known.map(({ input }) => input),
      isComplete,
    ),
    output: jointReport(
      known.map(({ output }) => output),
      isComplete,
    ),
    ...(parts.length > 0 && { parts: sumQuantities(parts) }),
    ...(serviceTier !== undefined && { serviceTier }),
    reasoning: reasoning.length === 0 ? null : reasoning.reduce((sum, tokens) => sum + tokens, 0),
    raw: { rounds: known.map(({ raw }) => raw) },
    rounds: known,
  };
}

/** Final if all of them are. */
function jointReport(reports: readonly SideReport[], isComplete: boolean): SideReport {
  if (isComplete && reports.every((report) => report === "final")) return "final";
  return reports.every((report) => report === "none") ? "none" : "so_far";
}

function sumQuantities(all: readonly Quantities[]): Quantities {
  const sum: MutableQuantities = {};
  for (const quantities of all) {
    for (const name of dimensionNames) {
      const quantity = quantities[name];
      if (quantity === undefined) continue;
      addQuantity(sum, name, quantity);
      sum[name] ??= 0;
    }
  }
  return sum;
}
