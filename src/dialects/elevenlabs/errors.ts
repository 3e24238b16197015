import { isObject, stringOrNull } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";

/** The callers' fields by ElevenLabs' names of them. */
const fields: Readonly<Record<string, string>> = {
  text: "input",
  speed: "speed",
  voice_id: "voice",
  output_format: "response_format",
  model_id: "model",
  file: "file",
  language_code: "language",
  temperature: "temperature",
};

/**
 * Reads ElevenLabs' errors: `{"detail":{"status","message"}}`, `{"detail":"text"}`, and `{"detail":[{"loc","msg"}]}` of a
 * field. Null if the value holds no error.
 */
export function readElevenLabsError(value: unknown): ProviderError | null {
  if (!isObject(value)) return null;
  const { detail } = value;
  if (typeof detail === "string") return { ...noFacts, message: detail };
  if (Array.isArray(detail)) return readFieldError(detail[0]);
  if (!isObject(detail)) return null;
  const code = stringOrNull(detail.status) ?? stringOrNull(detail.code);
  const error = { ...noFacts, message: stringOrNull(detail.message), code };
  return code === null ? error : { ...error, ...meanings[code] };
}

const noFacts = { message: null, type: null, code: null, param: null };

/** What a status means that its number does not tell. */
const meanings: Readonly<Record<string, Partial<ProviderError>>> = {
  invalid_api_key: { badCredential: true },
  needs_authorization: { badCredential: true },
  quota_exceeded: { isOutOfCredit: true },
  // The voice is the caller's, and the model is not.
  voice_not_found: { meantStatus: 400, param: "voice" },
  invalid_voice_id: { meantStatus: 400, param: "voice" },
  model_not_found: { meantStatus: 404 },
  max_character_limit_exceeded: { meantStatus: 400, param: "input" },
  text_too_long: { meantStatus: 400, param: "input" },
};

function readFieldError(first: unknown): ProviderError | null {
  if (!isObject(first)) return null;
  const field = Array.isArray(first.loc) ? stringOrNull(first.loc.at(-1)) : null;
  const param = field === null ? null : (fields[field] ?? null);
  return { message: stringOrNull(first.msg), type: null, code: stringOrNull(first.type), param };
}
