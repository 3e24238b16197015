// STAND-IN by the owner so that the gateway runs: overwrite this whole file with the real one.
import type { ReportedUsage } from "../conversation/usage.ts";
import type { Dimension, Usage } from "./usage.ts";
export function measure(reported: ReportedUsage | null, estimates: { input: () => Promise<number>; output: () => Promise<number> }): Usage | Promise<Usage> {
  const dims = (i: { input: number; cacheRead: number } , o: number): Dimension[] => [{ name: "input", quantity: i.input, unit: "token" }, { name: "output", quantity: o, unit: "token" }, ...(i.cacheRead ? [{ name: "cache_read" as const, quantity: i.cacheRead, unit: "token" as const }] : [])];
  if (reported?.input && reported.output !== null) return { dimensions: dims(reported.input, reported.output), measurement: { input: "provider", output: "provider" } };
  return (async () => ({ dimensions: dims(reported?.input ?? { input: await estimates.input(), cacheRead: 0 }, reported?.output ?? (await estimates.output())), measurement: { input: reported?.input ? "provider" as const : "local_estimate" as const, output: "local_estimate" as const } }))();
}
