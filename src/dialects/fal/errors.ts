import { isObject, stringOrNull } from "../../json/values.ts";
import type { ProviderError } from "../exchange.ts";

/** The callers' fields by fal's names of them. */
const fields: Readonly<Record<string, string>> = {
  prompt: "prompt",
  num_images: "n",
  image_size: "size",
  aspect_ratio: "size",
  resolution: "size",
  output_format: "output_format",
  image_url: "image",
  image_urls: "image",
  mask_url: "mask",
  duration: "seconds",
  seed: "seed",
};

/** Reads fal's errors: `{"detail": "text"}`, and `{"detail": [{"loc", "msg", "type"}]}` of a field. Null if it is neither. */
export function readFalError(value: unknown): ProviderError | null {
  if (!isObject(value)) return null;
  const { detail, error_type: type } = value;
  if (Array.isArray(detail)) return readFieldError(detail[0]);
  if (typeof detail !== "string") return null;
  // fal has no other sign of it.
  const isOutOfCredit = /^User is locked\. Reason: Exhausted balance\b/.test(detail);
  return {
    message: detail,
    type: null,
    code: stringOrNull(type),
    param: null,
    ...(isOutOfCredit && { isOutOfCredit }),
  };
}

function readFieldError(first: unknown): ProviderError | null {
  if (!isObject(first)) return null;
  const field = Array.isArray(first.loc) ? first.loc.findLast((part) => typeof part === "string") : null;
  const param = typeof field === "string" ? (fields[field] ?? null) : null;
  return { message: stringOrNull(first.msg), type: null, code: stringOrNull(first.type), param };
}
