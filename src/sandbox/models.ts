import { faultSchema } from "./script/fault.ts";
import { Refusal } from "./refusal.ts";
import { usageVariants, type Script } from "./script/script.ts";

/** The capabilities of a sandbox model, and the script of its name. */
export interface SandboxModel {
  readonly id: string;
  readonly reasons: boolean;
  readonly tools: boolean;
  readonly script: Script;
}

/** The listed models. Other names that begin with `sandbox-` are also answered. */
export const listedModels = [
  "sandbox-chat",
  "sandbox-reasoning",
  "sandbox-no-tools",
  "sandbox-slow",
  "sandbox-speech",
  "sandbox-transcription",
  "sandbox-image",
  "sandbox-video",
] as const;

const prefix = "sandbox-";

/** Of the names under which vendors have their scripts that are no models' own. */
const vendorPrefixes = ["search/", "fal/", "replicate/"];

/** Finds a model: a registered one, or one described by its name. Null if there is none. */
export function findModel(id: string, registered: ReadonlyMap<string, Script>): SandboxModel | null {
  const script = registered.get(id) ?? builtInScript(id);
  if (script === null) return null;
  return { id, reasons: id === "sandbox-reasoning", tools: id !== "sandbox-no-tools", script };
}

function builtInScript(id: string): Script | null {
  if (vendorPrefixes.some((vendor) => id.startsWith(vendor))) return {};
  return id.startsWith(prefix) ? scriptOfName(id.slice(prefix.length)) : null;
}

/** The error for an unknown model. */
export function unknownModel(id: string): Refusal {
  return new Refusal(404, `The model '${id.slice(0, 200)}' does not exist or you do not have access to it.`, {
    code: "model_not_found",
  });
}

/** The script of a name such as `status-429`, `fault-cut`, `usage-deepseek` or `slow`; empty for others. */
function scriptOfName(name: string): Script {
  if (name === "slow") return { latency_ms: 200, chunk_delay_ms: 60 };
  const status = /^status-(\d{3})$/.exec(name);
  if (status !== null) return faultScript({ kind: "status", status: Number(status[1]) });
  if (name.startsWith("fault-")) return faultScript({ kind: name.slice("fault-".length) });
  const variant = usageVariants.find((variant) => name === `usage-${variant}`);
  return variant === undefined ? {} : { usage: variant };
}

function faultScript(fault: unknown): Script {
  const checked = faultSchema.safeParse(fault);
  return checked.success ? { fault: checked.data } : {};
}
