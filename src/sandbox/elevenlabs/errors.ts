import { type Failure, Refusal } from "../refusal.ts";

/** ElevenLabs' error format: one of a field, as its checks of requests have it, or one with a status word. */
export function writeElevenLabsError({ message, code, param }: Failure): string {
  const detail =
    param === null
      ? { status: code ?? "error", message }
      : [{ loc: ["body", param], msg: message, type: "value_error" }];
  return JSON.stringify({ detail });
}

/** The error for a field that is wrong. */
export function fieldError(field: string, message: string): Refusal {
  return new Refusal(422, message, { param: field });
}
