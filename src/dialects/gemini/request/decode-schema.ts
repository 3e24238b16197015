import { isObject, type JsonObject } from "../../../json/values.ts";
import { writtenName } from "../fields.ts";

/** Keywords whose numbers Google writes as text, being 64-bit. */
const countKeywords = ["minItems", "maxItems", "minLength", "maxLength", "minProperties", "maxProperties"];
const sameKeywords = ["title", "description", "format", "pattern", "minimum", "maximum", "default", "required"];

/**
 * Google's `Schema`, a subset of OpenAPI's with types in capitals, as JSON Schema. What has no counterpart keeps its
 * meaning: `nullable` becomes a type, `propertyOrdering` the order of the properties.
 */
export function decodeSchema(schema: JsonObject): JsonObject {
  const get = (name: string) => schema[writtenName(schema, name)];
  const decoded: Record<string, unknown> = {};
  const nullable = get("nullable") === true;

  const { type } = schema;
  if (typeof type === "string" && !/^type_unspecified$/i.test(type)) {
    decoded.type = nullable ? [type.toLowerCase(), "null"] : type.toLowerCase();
  }
  for (const keyword of sameKeywords) if (get(keyword) !== undefined) decoded[keyword] = get(keyword);
  for (const keyword of countKeywords) if (get(keyword) !== undefined) decoded[keyword] = Number(get(keyword));
  if (Array.isArray(schema.enum)) decoded.enum = nullable ? [...schema.enum, null] : schema.enum;
  if (schema.example !== undefined) decoded.examples = [schema.example];
  if (isObject(schema.items)) decoded.items = decodeSchema(schema.items);
  if (isObject(schema.properties)) decoded.properties = decodeProperties(schema.properties, get("propertyOrdering"));

  const anyOf = get("anyOf");
  if (Array.isArray(anyOf)) {
    const choices = anyOf.filter(isObject).map(decodeSchema);
    decoded.anyOf = nullable && decoded.type === undefined ? [...choices, { type: "null" }] : choices;
  }
  return decoded;
}

function decodeProperties(properties: JsonObject, ordering: unknown): JsonObject {
  const names = Object.keys(properties);
  const first = Array.isArray(ordering) ? ordering.filter((name: unknown) => names.includes(String(name))) : [];
  const order = new Set<string>([...first.map(String), ...names]);
  const entries = [...order].map((name) => {
    const property = properties[name];
    return [name, isObject(property) ? decodeSchema(property) : property] as const;
  });
  return Object.fromEntries(entries);
}
