import { isObject, listOrEmpty } from "../../../json/values.ts";
import type { ProviderRefusal } from "../../provider.ts";
import { amountOrNull, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";

/** What an error of Tavily means, of a search or of pages. */
export function classifyTavilyError(status: number, body: unknown): ProviderRefusal {
  // The limit of the plan, and that of paying as one goes.
  const isQuota = status === 432 || status === 433;
  return {
    class: isQuota ? "quota" : refusalOfStatus(status),
    message: messageOf(body),
    code: null,
    retryAfterSeconds: waitOf(body),
  };
}

/** `{"detail": {"error"}}`; validation: `{"detail": [{"msg"}]}`; without a key: `{"error": {"message"}}`. */
function messageOf(body: unknown): string | null {
  if (!isObject(body)) return null;
  const { detail, error } = body;
  if (isObject(detail)) return textOrNull(detail.error);
  if (isObject(error)) return textOrNull(error.message);
  const [first] = listOrEmpty(detail);
  return isObject(first) ? textOrNull(first.msg) : (textOrNull(detail) ?? textOrNull(error));
}

function waitOf(body: unknown): number | null {
  return isObject(body) && isObject(body.error) ? amountOrNull(body.error.retry_after_seconds) : null;
}
