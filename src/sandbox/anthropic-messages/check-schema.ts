import { isObject, listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import { invalidRequest } from "./errors.ts";

const known: ReadonlySet<string> = new Set(
  "type properties required additionalProperties items enum const anyOf allOf $ref $defs definitions default title description format minItems".split(
    " ",
  ),
);
const formats: readonly unknown[] = "date-time time date duration email hostname uri ipv4 ipv6 uuid".split(" ");
const maxOptional = 24;
const maxDepth = 64;

/** Checks a JSON Schema against Anthropic's subset for structured output. Throws its error. */
export function checkBindingSchema(schema: unknown, path: string): void {
  if (countOptional(schema, 0) > maxOptional) {
    throw invalidRequest(path, `Schemas contain too many optional parameters (limit: ${maxOptional})`);
  }
  checkNode(schema, schema, path, []);
}

function checkNode(schema: unknown, root: unknown, path: string, references: readonly string[]): void {
  if (!isObject(schema)) return;
  if (references.length > maxDepth) throw invalidRequest(path, "Schema is too complex.");
  const { type } = schema;
  for (const keyword of Object.keys(schema)) {
    if (known.has(keyword)) continue;
    throw invalidRequest(path, `For '${String(type)}' type, property '${keyword.slice(0, 100)}' is not supported`);
  }
  if (type === "object" && schema["additionalProperties"] !== false) {
    throw invalidRequest(path, "For 'object' type, 'additionalProperties' must be explicitly set to false");
  }
  if (schema["format"] !== undefined && !formats.includes(schema["format"])) {
    throw invalidRequest(path, `String format ${JSON.stringify(schema["format"]).slice(0, 100)} is not supported`);
  }
  const min = schema["minItems"];
  if (min !== undefined && min !== 0 && min !== 1) {
    throw invalidRequest(path, "For 'array' type, 'minItems' values other than 0 or 1 are not supported");
  }
  for (const [name, inner] of Object.entries(objectOrEmpty(schema["properties"]))) {
    checkNode(inner, root, `${path}.properties.${name}`, references);
  }
  checkNode(schema["items"], root, `${path}.items`, references);
  for (const keyword of ["anyOf", "allOf"]) {
    for (const inner of listOrEmpty(schema[keyword])) checkNode(inner, root, path, references);
  }
  checkReference(schema, root, path, references);
}

function checkReference(schema: JsonObject, root: unknown, path: string, references: readonly string[]): void {
  const reference = schema["$ref"];
  if (typeof reference !== "string") return;
  if (references.includes(reference)) throw invalidRequest(path, "Circular '$ref' is not supported");
  const steps = reference.replace(/^#\//, "").split("/");
  const found = steps.reduce<unknown>((node, step) => objectOrEmpty(node)[step], root);
  if (found === undefined) throw invalidRequest(path, `'$ref' ${reference.slice(0, 100)} does not resolve`);
  checkNode(found, root, path, [...references, reference]);
}

function countOptional(schema: unknown, depth: number): number {
  if (!isObject(schema) || depth > maxDepth) return 0;
  const properties = Object.entries(objectOrEmpty(schema["properties"]));
  const required = listOrEmpty(schema["required"]);
  const own = properties.filter(([name]) => !required.includes(name)).length;
  const inner = [...properties.map(([, each]) => each), schema["items"], ...listOrEmpty(schema["anyOf"])];
  return inner.reduce<number>((sum, each) => sum + countOptional(each, depth + 1), own);
}
