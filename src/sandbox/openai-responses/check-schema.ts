import { listOrEmpty, objectOrEmpty } from "../json.ts";
import { invalidValue } from "../openai-chat/check-value.ts";

const maxDepth = 64;

/**
 * Checks a JSON Schema against the subset for structured output: each object closed, all properties required. Throws
 * OpenAI's error; `whose` is how it names the schema.
 */
export function checkStrictSchema(schema: unknown, whose: string, path: string, code: string): void {
  const refuse = (context: readonly string[], what: string) => {
    const place = `In context=(${context.map((step) => `'${step}'`).join(", ")}), ${what}`;
    return invalidValue(path, `Invalid schema for ${whose}: ${place}`, code);
  };

  const visit = (value: unknown, context: readonly string[]): void => {
    if (context.length > maxDepth) throw refuse(context.slice(0, 5), "the schema is nested too deeply.");
    const node = objectOrEmpty(value);
    const properties = objectOrEmpty(node["properties"]);
    if (node["type"] === "object") {
      if (node["additionalProperties"] !== false) {
        throw refuse(context, "'additionalProperties' is required to be supplied and to be false.");
      }
      const required = listOrEmpty(node["required"]);
      const left = Object.keys(properties).find((name) => !required.includes(name));
      if (left !== undefined) {
        throw refuse(
          context,
          `'required' is required to be supplied and to be an array including every key in properties. Missing '${left}'.`,
        );
      }
    }
    for (const [name, inner] of Object.entries(properties)) visit(inner, [...context, "properties", name]);
    if (node["items"] !== undefined) visit(node["items"], [...context, "items"]);
    listOrEmpty(node["anyOf"]).forEach((inner, index) => visit(inner, [...context, "anyOf", String(index)]));
    if (node["oneOf"] !== undefined) throw refuse(context, "'oneOf' is not permitted.");
  };
  visit(schema, []);
}
