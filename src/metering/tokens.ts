// STAND-IN by the owner so that the gateway runs: overwrite this whole file with the real one.
import type { Usage } from "./usage.ts";
export function tokensOf(usage: Usage): number { return usage.dimensions.filter((d) => d.unit === "token").reduce((s, d) => s + d.quantity, 0); }
