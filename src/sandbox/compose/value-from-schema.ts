import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { numberFromSchema } from "./number-from-schema.ts";
import { stringFromSchema, type TextHints } from "./string-from-schema.ts";

const maxDepth = 12;
const maxValues = 5000;
const maxItems = 100;
const maxReferences = 20;

interface Walk {
  readonly root: unknown;
  readonly hints: TextHints;
  values: number;
}

/**
 * Creates a value that satisfies a JSON Schema, deterministically. Supports types, enum, const, default, properties,
 * items, prefixItems, anyOf, oneOf, allOf, local $ref, lengths, ranges and the usual formats; not `pattern`.
 * Recursive and huge schemas are truncated.
 */
export function valueFromSchema(schema: unknown, hints: TextHints): unknown {
  return valueOf(schema, "", 0, { root: schema, hints, values: 0 });
}

function valueOf(unresolved: unknown, name: string, depth: number, walk: Walk): unknown {
  walk.values += 1;
  const schema = resolve(unresolved, walk.root);
  if ("const" in schema) return schema["const"];
  const options = listOrEmpty(schema["enum"]);
  if (options.length > 0) return options[0];
  if ("default" in schema) return schema["default"];
  const alternatives = [...listOrEmpty(schema["anyOf"]), ...listOrEmpty(schema["oneOf"])];
  if (alternatives.length > 0) return valueOf(chooseAlternative(alternatives, depth), name, depth + 1, walk);
  switch (typeOf(schema, depth)) {
    case "object":
      return objectOf(schema, depth, walk);
    case "array":
      return arrayOf(schema, name, depth, walk);
    case "integer":
      return numberFromSchema(schema, true);
    case "number":
      return numberFromSchema(schema, false);
    case "boolean":
      return true;
    case "null":
      return null;
    default:
      return stringFromSchema(schema, name, walk.hints);
  }
}

function objectOf(schema: JsonObject, depth: number, walk: Walk): JsonObject {
  const required = new Set(listOrEmpty(schema["required"]));
  const cutShort = depth >= maxDepth || walk.values >= maxValues;
  const entries: [string, unknown][] = [];
  for (const [name, property] of Object.entries(objectOrEmpty(schema["properties"]))) {
    if (cutShort && (!required.has(name) || depth >= maxDepth * 2 || walk.values >= maxValues * 2)) continue;
    entries.push([name, valueOf(property, name, depth + 1, walk)]);
  }
  return Object.fromEntries(entries);
}

function arrayOf(schema: JsonObject, name: string, depth: number, walk: Walk): unknown[] {
  const min = Math.min(Number(schema["minItems"]) || 0, maxItems);
  const leading = listOrEmpty(schema["prefixItems"]).slice(0, maxItems);
  const cutShort = depth >= maxDepth || walk.values >= maxValues;
  const wanted = schema["maxItems"] === 0 || cutShort || leading.length > 0 ? min : Math.max(min, 1);
  const values = leading.map((item) => valueOf(item, name, depth + 1, walk));
  while (values.length < wanted && walk.values < maxValues * 2) {
    values.push(valueOf(schema["items"], name, depth + 1, walk));
  }
  return values;
}

/** At great depth, null ends a recursion if the schema allows it. */
function chooseAlternative(alternatives: readonly unknown[], depth: number): unknown {
  if (depth >= maxDepth * 2) return {};
  const ofNull = alternatives.find((schema) => objectOrEmpty(schema)["type"] === "null");
  const others = alternatives.filter((schema) => schema !== ofNull);
  return depth >= maxDepth / 2 && ofNull !== undefined ? ofNull : (others[0] ?? ofNull);
}

function typeOf(schema: JsonObject, depth: number): unknown {
  const type = schema["type"];
  if (Array.isArray(type)) {
    if (depth >= maxDepth / 2 && type.includes("null")) return "null";
    return type.find((one) => one !== "null") ?? "null";
  }
  if (type !== undefined) return type;
  if (isObject(schema["properties"])) return "object";
  return "items" in schema || "prefixItems" in schema ? "array" : "string";
}

/** Resolves local references and merges allOf into one schema. */
function resolve(unresolved: unknown, root: unknown): JsonObject {
  let schema = objectOrEmpty(unresolved);
  for (let step = 0; step < maxReferences && typeof schema["$ref"] === "string"; step += 1) {
    schema = objectOrEmpty(lookUp(schema["$ref"], root));
  }
  const parts = listOrEmpty(schema["allOf"]).slice(0, maxItems);
  return parts.reduce<JsonObject>((whole, part) => fold(whole, lookUpPart(part, root)), schema);
}

function lookUpPart(part: unknown, root: unknown): JsonObject {
  const schema = objectOrEmpty(part);
  return typeof schema["$ref"] === "string" ? objectOrEmpty(lookUp(schema["$ref"], root)) : schema;
}

function fold(whole: JsonObject, part: JsonObject): JsonObject {
  return {
    ...whole,
    ...part,
    properties: { ...objectOrEmpty(whole["properties"]), ...objectOrEmpty(part["properties"]) },
    required: [...listOrEmpty(whole["required"]), ...listOrEmpty(part["required"])],
  };
}

/** Resolves a reference inside this schema, a JSON Pointer such as `#/$defs/city`. */
function lookUp(reference: string, root: unknown): unknown {
  if (!reference.startsWith("#")) return {};
  let value = root;
  for (const step of reference.split("/").slice(1)) {
    const name = step.replaceAll("~1", "/").replaceAll("~0", "~");
    value = Array.isArray(value) ? value[Number(name)] : objectOrEmpty(value)[name];
  }
  return value;
}
