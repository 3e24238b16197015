import type { Fault } from "./fault.ts";
import type { Script } from "./script.ts";

const maxKeys = 10_000;

/** Decides for each request whether its fault applies, and counts faults with `times`. */
export interface FaultCounter {
  /** Returns the script, without its fault if that does not apply to this model or has happened often enough. */
  apply(script: Script, model: string): Script;
  reset(): void;
}

export function createFaultCounter(): FaultCounter {
  const counts = new Map<string, number>();

  function applies(fault: Fault, model: string): boolean {
    if (fault.models !== undefined && !fault.models.includes(model)) return false;
    if (fault.times === undefined) return true;
    const key = `${fault.kind} ${fault.key ?? model}`;
    const count = counts.get(key) ?? 0;
    if (count >= fault.times) return false;
    if (counts.size >= maxKeys) counts.clear();
    counts.set(key, count + 1);
    return true;
  }

  return {
    apply(script, model) {
      if (script.fault === undefined || applies(script.fault, model)) return script;
      const { fault: _spent, ...healthy } = script;
      return healthy;
    },
    reset: () => counts.clear(),
  };
}
