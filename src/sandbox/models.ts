import { faultSchema } from "./fault.ts";
import { Refusal } from "./refusal.ts";
import { usageVariants, type Script } from "./script.ts";

/** What a model of the sandbox can do, and the script that its name stands for. */
export interface SandboxModel {
  readonly id: string;
  readonly reasons: boolean;
  readonly tools: boolean;
  readonly script: Script;
}

/** The models that the list shows. Any other name beginning with `sandbox-` is answered too. */
export const listedModels = ["sandbox-chat", "sandbox-reasoning", "sandbox-no-tools", "sandbox-slow"] as const;

const prefix = "sandbox-";

/** The model of that name: a registered one, or one that the name itself describes. Null where there is none. */
export function findModel(id: string, registered: ReadonlyMap<string, Script>): SandboxModel | null {
  const script = registered.get(id) ?? (id.startsWith(prefix) ? scriptOfName(id.slice(prefix.length)) : null);
  if (script === null) return null;
  return { id, reasons: id === "sandbox-reasoning", tools: id !== "sandbox-no-tools", script };
}

/** The refusal of a model that does not exist. */
export function unknownModel(id: string): Refusal {
  return new Refusal(404, `The model '${id.slice(0, 200)}' does not exist or you do not have access to it.`, {
    code: "model_not_found",
  });
}

/** The behaviour in a scripted name: `status-429`, `fault-cut`, `usage-deepseek`, `slow`; none in any other. */
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
