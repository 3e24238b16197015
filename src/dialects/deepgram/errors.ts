import { isObject, stringOrNull } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";

/**
 * Reads Deepgram's errors: `{"err_code","err_msg","request_id"}`, the newer `{"category","message","details","request_id"}`,
 * and a text. Null if the value holds no error.
 */
export function readDeepgramError(value: unknown): ProviderError | null {
  if (typeof value === "string" && value !== "") return { message: value, type: null, code: null, param: null };
  if (!isObject(value)) return null;
  const code = stringOrNull(value.err_code) ?? stringOrNull(value.category);
  const message = stringOrNull(value.err_msg) ?? stringOrNull(value.message);
  const hasNewForm = typeof value.category === "string" && message !== null;
  if (value.err_code === undefined && value.err_msg === undefined && !hasNewForm) return null;
  const error = { message, type: null, code, param: null };
  return code === null ? error : { ...error, ...meanings[code] };
}

/** What a code means that its status does not tell. */
const meanings: Readonly<Record<string, Partial<ProviderError>>> = {
  INVALID_AUTH: { badCredential: true },
  ASR_PAYMENT_REQUIRED: { isOutOfCredit: true },
};
