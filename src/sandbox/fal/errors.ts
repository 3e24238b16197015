import type { Failure } from "../refusal.ts";

/** fal's errors: a text, or those of fields. */
export function falError({ message, code, param }: Pick<Failure, "message" | "code" | "param">): unknown {
  if (param === null) return { detail: message };
  return { detail: [{ loc: ["body", param], msg: message, type: code ?? "value_error" }] };
}

export function writeFalError(failure: Failure): string {
  return JSON.stringify(falError(failure));
}
