import { isObject, stringOrNull } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";

/** Reads Deepgram's `{"err_code","err_msg","request_id"}`. Null if the value holds no error. */
export function readDeepgramError(value: unknown): ProviderError | null {
  if (!isObject(value) || (value.err_code === undefined && value.err_msg === undefined)) return null;
  const code = stringOrNull(value.err_code);
  const error = { message: stringOrNull(value.err_msg), type: null, code, param: null };
  return code === "INVALID_AUTH" ? { ...error, badCredential: true } : error;
}
