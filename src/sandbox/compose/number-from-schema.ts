import type { JsonObject } from "../json.ts";

/** Creates a number within a JSON Schema's range and step; 1 if allowed. */
export function numberFromSchema(schema: JsonObject, whole: boolean): number {
  const step = numberOf(schema["multipleOf"]) ?? (whole ? 1 : null);
  const min = lowerBound(schema, step);
  const max = upperBound(schema, step);
  const wanted = Math.min(Math.max(1, min), max);
  if (step === null || step <= 0) return wanted;
  const rounded = Math.ceil(wanted / step) * step;
  return rounded > max ? Math.floor(max / step) * step : rounded;
}

function lowerBound(schema: JsonObject, step: number | null): number {
  const exclusive = numberOf(schema["exclusiveMinimum"]);
  const inclusive = numberOf(schema["minimum"]) ?? Number.NEGATIVE_INFINITY;
  return exclusive === null ? inclusive : Math.max(inclusive, exclusive + (step ?? 0.5));
}

function upperBound(schema: JsonObject, step: number | null): number {
  const exclusive = numberOf(schema["exclusiveMaximum"]);
  const inclusive = numberOf(schema["maximum"]) ?? Number.POSITIVE_INFINITY;
  return exclusive === null ? inclusive : Math.min(inclusive, exclusive - (step ?? 0.5));
}

function numberOf(value: unknown): number | null {
  return typeof value === "number" ? value : null;
}
