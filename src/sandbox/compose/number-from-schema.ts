import type { JsonObject } from "../json.ts";

/** A number within a JSON Schema's range and step: 1 where it may be. */
export function numberFromSchema(schema: JsonObject, whole: boolean): number {
  const step = numberOf(schema["multipleOf"]) ?? (whole ? 1 : null);
  const least = lowerBound(schema, step);
  const greatest = upperBound(schema, step);
  const wanted = Math.min(Math.max(1, least), greatest);
  if (step === null || step <= 0) return wanted;
  const rounded = Math.ceil(wanted / step) * step;
  return rounded > greatest ? Math.floor(greatest / step) * step : rounded;
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
