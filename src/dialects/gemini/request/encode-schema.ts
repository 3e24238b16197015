import { isObject, type JsonObject } from "../../../json/values.ts";

/**
 * A JSON Schema as Gemini reads it in `parametersJsonSchema` and `responseJsonSchema`. Gemini has no `const`, takes
 * nothing beside a `$ref`, and knows definitions only as `$defs`: the same is expressed by other means. The rest stays as
 * it is.
 */
export function encodeSchema(schema: JsonObject): JsonObject {
  return encodeNode(schema, 0) as JsonObject;
}

/** Keywords that hold one schema. */
const nestedKeywords = ["items", "additionalProperties", "not", "contains", "propertyNames", "if", "then", "else"];
/** Keywords that hold a list of schemas. */
const listKeywords = ["anyOf", "oneOf", "allOf", "prefixItems"];
/** Keywords that hold schemas by name. */
const namedKeywords = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

/** Bodies are no deeper than this; a schema built by hand might be. */
const deepest = 256;

function encodeNode(node: unknown, depth: number): unknown {
  if (!isObject(node) || depth > deepest) return node;
  const encoded: Record<string, unknown> = {};
  for (const [keyword, value] of Object.entries(node)) {
    if (keyword === "$schema" || keyword === "const") continue;
    if (nestedKeywords.includes(keyword)) encoded[keyword] = encodeNode(value, depth + 1);
    else if (listKeywords.includes(keyword) && Array.isArray(value)) {
      encoded[keyword] = value.map((item: unknown) => encodeNode(item, depth + 1));
    } else if (namedKeywords.includes(keyword) && isObject(value)) {
      const named = Object.entries(value).map(([name, item]) => [name, encodeNode(item, depth + 1)] as const);
      const keywordHere = keyword === "definitions" ? "$defs" : keyword;
      encoded[keywordHere] = { ...objectAt(encoded, keywordHere), ...Object.fromEntries(named) };
    } else if (keyword === "$ref" && typeof value === "string") {
      encoded.$ref = value.replace(/^#\/definitions\//, "#/$defs/");
    } else encoded[keyword] = value;
  }
  if ("const" in node) applyConst(encoded, node.const);
  return "$ref" in encoded ? aloneWithReference(encoded) : encoded;
}

function objectAt(object: JsonObject, name: string): JsonObject {
  const value = object[name];
  return isObject(value) ? value : {};
}

/** One allowed value, as an enum of one; a value that an enum cannot hold is described by the type and in text. */
function applyConst(encoded: Record<string, unknown>, value: unknown): void {
  if (value === null) {
    encoded.type = "null";
  } else if (typeof value === "string" || typeof value === "number") {
    encoded.type ??= typeof value === "string" ? "string" : Number.isInteger(value) ? "integer" : "number";
    encoded.enum = [value];
  } else {
    encoded.type ??= typeof value === "boolean" ? "boolean" : Array.isArray(value) ? "array" : "object";
    const words = `Must be exactly ${JSON.stringify(value)}.`;
    encoded.description = typeof encoded.description === "string" ? `${encoded.description} ${words}` : words;
  }
}

/** A `$ref` may be only beside keywords that begin with `$`: with others it moves one level down. */
function aloneWithReference(encoded: Record<string, unknown>): JsonObject {
  const others = Object.keys(encoded).filter((keyword) => !keyword.startsWith("$"));
  if (others.length === 0) return encoded;
  const { $ref, ...rest } = encoded;
  const choice = { $ref };
  return "anyOf" in rest ? { ...rest, allOf: [...listAt(rest, "allOf"), choice] } : { ...rest, anyOf: [choice] };
}

function listAt(object: JsonObject, name: string): readonly unknown[] {
  const value = object[name];
  return Array.isArray(value) ? value : [];
}
