import { isObject, type JsonObject } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { messages, type FieldShape } from "./shapes.ts";

/** Creates an error in Google's format. */
export function invalidArgument(message: string, field: string | null = null): Refusal {
  return new Refusal(400, message, { param: field });
}

/**
 * Checks a value against the shape of one of Google's messages. Fields may be in camelCase or snake_case; the result
 * has only camelCase. Throws Google's error for a field that the message
 * does not have, or whose value is of another type.
 */
export function readMessage(value: unknown, name: string, path = ""): JsonObject {
  const fields = messages[name];
  if (!isObject(value) || fields === undefined) throw wrongValue(path, `type.googleapis.com/google.ai.${name}`, value);
  const read: JsonObject = {};
  for (const [written, inner] of Object.entries(value)) {
    const camel = written.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
    const field = fields.get(camel);
    if (field === undefined) {
      const at = path === "" ? "" : ` at '${path}'`;
      const message = `Invalid JSON payload received. Unknown name "${written.slice(0, 100)}"${at}: Cannot find field.`;
      throw invalidArgument(message, path === "" ? written : `${path}.${written}`);
    }
    // Null means absent, as in protocol buffers.
    if (inner !== null) read[camel] = readField(inner, field, path === "" ? camel : `${path}.${camel}`);
  }
  return read;
}

function readField(value: unknown, field: FieldShape, path: string): unknown {
  switch (field.kind) {
    case "value":
      return value;
    case "message":
      return readMessage(value, field.name, path);
    case "list":
      // A single item is accepted as a list of one.
      return (Array.isArray(value) ? value : [value]).map((item: unknown, index) =>
        readField(item, field.of, `${path}[${index}]`),
      );
    case "map":
      if (!isObject(value)) throw wrongValue(path, "Map", value);
      return Object.fromEntries(
        Object.entries(value).map(([key, inner]) => [key, readField(inner, field.of, `${path}.${key}`)]),
      );
    case "enum":
      return readEnum(value, field.values, path);
    default:
      return readScalar(value, field.type, path);
  }
}

function readEnum(value: unknown, values: readonly string[], path: string): string {
  const word = typeof value === "string" ? values.find((known) => known.toLowerCase() === value.toLowerCase()) : null;
  if (word === undefined || word === null) throw wrongValue(path, "TYPE_ENUM", value);
  return word;
}

function readScalar(value: unknown, type: Extract<FieldShape, { kind: "scalar" }>["type"], path: string): unknown {
  switch (type) {
    case "string":
      if (typeof value === "string") return value;
      throw wrongValue(path, "TYPE_STRING", value);
    case "boolean":
      if (typeof value === "boolean") return value;
      throw wrongValue(path, "TYPE_BOOL", value);
    case "bytes":
      if (typeof value === "string" && isBase64(value)) return value;
      throw wrongValue(path, "TYPE_BYTES", value);
    case "integer":
      // 64-bit integers are strings.
      if (Number.isInteger(value)) return value;
      if (typeof value === "string" && /^-?\d+$/.test(value)) return Number(value);
      throw wrongValue(path, "TYPE_INT32", value);
    default:
      if (typeof value === "number") return value;
      throw wrongValue(path, "TYPE_FLOAT", value);
  }
}

/** Base64 in either alphabet, with or without padding. */
function isBase64(text: string): boolean {
  return /^[A-Za-z0-9+/_-]*={0,2}$/.test(text) && text.replace(/=+$/, "").length % 4 !== 1;
}

function wrongValue(path: string, type: string, value: unknown): Refusal {
  const shown = JSON.stringify(value)?.slice(0, 100);
  return invalidArgument(`Invalid value at '${path}' (${type}), ${shown}`, path);
}
