import type { ServedRequest } from "../dialect.ts";
import { isObject } from "../json.ts";
import { Refusal } from "../refusal.ts";

/** The text fields of a request for a film, sent as a form or as JSON. Throws OpenAI's error if there are others. */
export async function readVideoFields({ body, headers }: ServedRequest): Promise<Partial<Record<string, string>>> {
  const type = headers["content-type"] ?? "";
  const fields = type.startsWith("multipart/form-data") ? await formFields(body, type) : jsonFields(body);
  for (const name in fields) {
    if (known.has(name)) continue;
    throw new Refusal(400, `Unknown parameter: '${name.slice(0, 100)}'.`, { param: name, code: "unknown_parameter" });
  }
  return fields;
}

const known: ReadonlySet<string> = new Set([
  "model",
  "prompt",
  "seconds",
  "size",
  "input_reference",
  "input_reference[image_url]",
]);

async function formFields(body: Uint8Array, type: string): Promise<Record<string, string>> {
  const form = await new Response(body.slice(), { headers: { "content-type": type } }).formData();
  const fields: Record<string, string> = {};
  form.forEach((value, name) => (fields[name] = typeof value === "string" ? value : value.name));
  return fields;
}

function jsonFields(body: Uint8Array): Record<string, string> {
  let parsed: unknown = null;
  try {
    parsed = JSON.parse(new TextDecoder().decode(body));
  } catch {
    // Refused below.
  }
  if (!isObject(parsed)) throw new Refusal(400, "We could not parse the JSON body of your request.");
  return Object.fromEntries(Object.entries(parsed).map(([name, value]) => [name, String(value)]));
}
