import { isObject, stringOrNull } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";
import { errorEnvelope } from "../../errors.ts";
import type { ErrorFormat } from "../../operations/operation.ts";

/** On OpenAI-shaped paths, and on the gateway's own. */
export const openaiErrorFormat: ErrorFormat = { errorBody: errorEnvelope, idHeader: "x-request-id" };

/**
 * Reads an error in the forms that OpenAI-compatible servers use: `{"error":{...}}`, `{"error":"text"}`, Google's
 * `[{"error":{...}}]` and vLLM's `{"object":"error","message":...}`. Null if the value holds no error.
 */
export function readError(value: unknown): ProviderError | null {
  if (Array.isArray(value)) return value.length > 0 ? readError(value[0]) : null;
  if (!isObject(value)) return null;
  if (value.object === "error") return fieldsOf(value);
  if (typeof value.error === "string" && value.error !== "") {
    return { message: value.error, type: null, code: null, param: null };
  }
  return isObject(value.error) ? fieldsOf(value.error) : null;
}

function fieldsOf(error: Readonly<Record<string, unknown>>): ProviderError {
  const code = typeof error.code === "number" ? String(error.code) : stringOrNull(error.code);
  const type = stringOrNull(error.type);
  const isOutOfCredit = outOfCredit.has(code ?? "") || outOfCredit.has(type ?? "");
  const fields = { message: stringOrNull(error.message), type, code, param: stringOrNull(error.param) };
  return isOutOfCredit ? { ...fields, isOutOfCredit } : fields;
}

/** Codes and types of an account that has nothing left. OpenAI answers them with 429, others with 400 or 403. */
const outOfCredit: ReadonlySet<string> = new Set([
  "insufficient_quota",
  "billing_hard_limit_reached",
  "billing_not_active",
  "credit_balance_exhausted",
]);
