import { isObject, type JsonObject } from "../../../json/values.ts";

/** The values of `format` in the vendor's schema subset. */
const formats: ReadonlySet<unknown> = new Set(
  "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" "),
);

const kept = new Set(["type", "enum", "const", "description", "title", "required", "default"]);
const combined = ["anyOf", "oneOf", "allOf"];

/**
 * A JSON Schema within the subset that Anthropic's structured output takes: objects are closed, `oneOf` becomes `anyOf`,
 * and every keyword outside the subset moves into the description, where the model still reads it.
 */
export function fitOutputSchema(schema: JsonObject): JsonObject {
  const fitted: Record<string, unknown> = {};
  const described: string[] = [];
  for (const [keyword, value] of Object.entries(schema)) {
    if (keyword === "$schema" || keyword === "additionalProperties") continue;
    else if (keyword === "$defs" || keyword === "definitions") fitted[keyword] = fitEach(value);
    else if (keyword === "properties") fitted.properties = fitEach(value);
    else if (keyword === "$ref" || kept.has(keyword)) fitted[keyword] = value;
    else if (keyword === "items" && isObject(value)) fitted.items = fitOutputSchema(value);
    else if (combined.includes(keyword) && Array.isArray(value)) {
      fitted[keyword === "oneOf" ? "anyOf" : keyword] = value.map((inner: unknown) =>
        isObject(inner) ? fitOutputSchema(inner) : inner,
      );
    } else if (keyword === "format" && formats.has(value)) fitted.format = value;
    else if (keyword === "minItems" && (value === 0 || value === 1)) fitted.minItems = value;
    else described.push(`${keyword}: ${JSON.stringify(value)}`);
  }
  if (fitted.properties !== undefined || schema.type === "object") fitted.additionalProperties = false;
  if (described.length > 0) {
    const before = typeof fitted.description === "string" ? `${fitted.description}\n\n` : "";
    fitted.description = `${before}{${described.join(", ")}}`;
  }
  return fitted;
}

function fitEach(schemas: unknown): unknown {
  if (!isObject(schemas)) return schemas;
  return Object.fromEntries(
    Object.entries(schemas).map(([name, schema]) => [name, isObject(schema) ? fitOutputSchema(schema) : schema]),
  );
}
