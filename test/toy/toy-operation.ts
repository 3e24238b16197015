import type { Quantities } from "../../src/dimensions.ts";
import { AnswerFault, type ProviderError } from "../../src/dialects/exchange.ts";
import type { ReportedUsage } from "../../src/conversation/usage.ts";
import { openaiErrorFormat } from "../../src/dialects/openai-chat/errors.ts";
import { isObject, stringOrNull, type JsonObject } from "../../src/json/values.ts";
import type { ExpectedUsage } from "../../src/metering/expected-usage.ts";
import type { Operation, OperationInput } from "../../src/operations/operation.ts";

/** The fields that all toy operations share. */
export const toyDefaults = {
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  size: () => 0,
  estimateInput: async () => 0,
} as const satisfies Partial<Operation<OperationInput>>;

/** A vendor says what it has used: `"usage": {"character": 5}`. */
export function reported(quantities: Quantities): ReportedUsage {
  return { quantities, input: "final", output: "final", reasoning: null, raw: quantities };
}

/** A request that uses this much, and never more. */
export function expected(quantities: Quantities): ExpectedUsage {
  return { expected: quantities, max: () => quantities, writes: null };
}

export function parseAnswer(body: Uint8Array): JsonObject {
  const answer: unknown = JSON.parse(new TextDecoder().decode(body));
  if (!isObject(answer)) throw new AnswerFault("The answer is not an object.");
  return answer;
}

export function readToyError(body: unknown): ProviderError | null {
  if (!isObject(body) || !isObject(body.error)) return null;
  return { message: stringOrNull(body.error.message), type: null, code: null, param: null };
}
