import { isObject, listOrEmpty } from "../../../json/values.ts";
import type { ProviderRefusal } from "../../provider.ts";
import { amountOrNull, textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";

/** The texts of a list. */
export function textsOf(list: unknown): string[] {
  return listOrEmpty(list).filter((each) => typeof each === "string");
}

/** `[{"name": "sku_search", "count": 1}]` as counts by name. */
export function readUsage(list: unknown): Map<string, number> {
  const counts = new Map<string, number>();
  for (const each of listOrEmpty(list).slice(0, 100)) {
    const name = isObject(each) ? textOrNull(each.name) : null;
    const count = isObject(each) ? amountOrNull(each.count) : null;
    if (name !== null && count !== null) counts.set(name, (counts.get(name) ?? 0) + count);
  }
  return counts;
}

/** `{"type": "error", "error": {"ref_id", "message", "detail"}}`. */
export function classifyParallelError(status: number, body: unknown): ProviderRefusal {
  const error = isObject(body) && isObject(body.error) ? body.error : {};
  return { class: refusalOfStatus(status), message: textOrNull(error.message), code: null };
}
