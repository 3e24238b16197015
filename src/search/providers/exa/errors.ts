import { isObject } from "../../../json/values.ts";
import type { ProviderRefusal, RefusalClass } from "../../provider.ts";
import { textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";

const classes: ReadonlyMap<string, RefusalClass> = new Map([
  ["INVALID_API_KEY", "credential"],
  ["NO_MORE_CREDITS", "quota"],
  ["API_KEY_BUDGET_EXCEEDED", "quota"],
]);

/** `{"error": "...", "tag"}`, `{"error": {"code", "message"}}`, or, without a key, a demand for payment by x402. */
export function classifyExaError(status: number, body: unknown): ProviderRefusal {
  const answer = isObject(body) ? body : {};
  const error = isObject(answer.error) ? answer.error : {};
  const code = textOrNull(answer.tag) ?? textOrNull(error.code) ?? textOrNull(error.type);
  const isPaymentDemand = status === 402 && ("x402Version" in answer || "accepts" in answer);
  return {
    class: classes.get(code?.toUpperCase() ?? "") ?? (isPaymentDemand ? "credential" : refusalOfStatus(status)),
    message: textOrNull(answer.error) ?? textOrNull(error.message),
    code,
  };
}
