import { isObject, type JsonObject, listOrEmpty, stringOrNull } from "../../json/values.ts";
import { AnswerFault, type ProviderError } from "../exchange.ts";

/** The callers' fields by the names of models' inputs. */
const fields: Readonly<Record<string, string>> = {
  prompt: "prompt",
  num_outputs: "n",
  aspect_ratio: "size",
  width: "size",
  height: "size",
  output_format: "output_format",
  output_quality: "output_compression",
  image: "image",
  input_image: "image",
  image_input: "image",
  mask: "mask",
  duration: "seconds",
  seed: "seed",
};

/** Reads Replicate's errors: `{"title", "detail", "status", "invalid_fields"}`. Null if the value is none. */
export function readReplicateError(value: unknown): ProviderError | null {
  if (!isObject(value) || typeof value.detail !== "string") return null;
  const { title, detail, status } = value;
  const [invalid] = listOrEmpty(value.invalid_fields);
  const field = isObject(invalid) ? stringOrNull(invalid.field) : null;
  const param = field === null ? null : (fields[field.replace(/^input\./, "")] ?? null);
  return {
    message: detail,
    type: null,
    code: stringOrNull(title),
    param,
    ...(status === 402 && { isOutOfCredit: true }),
  };
}

/** Words by which models refuse what they are asked for: the fault of one request, and of no other. */
const refusalOfContent = /nsfw|sensitive|safety|E005|moderat/i;

/** What a prediction failed with. */
export function faultOfPrediction({ status, error }: JsonObject): AnswerFault {
  const message = typeof error === "string" && error !== "" ? error : `The prediction is ${String(status)}.`;
  const code = refusalOfContent.test(message) ? "invalid_prompt" : null;
  return new AnswerFault("The prediction has failed.", { message, type: null, code, param: null });
}
