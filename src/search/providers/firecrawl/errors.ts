import { isObject, type JsonObject, listOrEmpty } from "../../../json/values.ts";
import type { ProviderRefusal } from "../../provider.ts";
import { textOrNull } from "../read-answer.ts";
import { refusalOfStatus } from "../refusal-of-status.ts";

/** `{"success": false, "error", "code"?, "details"?: [{"path", "message"}]}`. */
export function classifyFirecrawlError(status: number, body: unknown): ProviderRefusal {
  const { error, code, details }: JsonObject = isObject(body) ? body : {};
  const [detail] = listOrEmpty(details);
  return {
    class: refusalOfStatus(status),
    // The detail says what is wrong; the error may be `Bad Request` alone.
    message: (isObject(detail) ? textOrNull(detail.message) : null) ?? textOrNull(error),
    code: textOrNull(code),
  };
}
