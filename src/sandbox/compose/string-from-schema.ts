import type { JsonObject } from "../json.ts";

/** Hints from the request for the content of strings. */
export interface TextHints {
  readonly place: string | null;
  readonly text: string;
}

const maxLength = 10_000;

const samplesByFormat: Readonly<Record<string, string>> = {
  date: "2026-01-15",
  time: "12:00:00Z",
  "date-time": "2026-01-15T12:00:00Z",
  duration: "PT1H",
  email: "someone@example.com",
  hostname: "example.com",
  uri: "https://example.com/",
  ipv4: "192.0.2.1",
  ipv6: "2001:db8::1",
  uuid: "123e4567-e89b-42d3-a456-426614174000",
};

/** Creates a string for a JSON Schema: in its format, or suggested by the property's name, within its lengths. */
export function stringFromSchema(schema: JsonObject, name: string, hints: TextHints): string {
  const format = schema["format"];
  const sample = typeof format === "string" ? samplesByFormat[format] : undefined;
  return sample ?? fit(sampleForName(name, hints), schema);
}

function sampleForName(name: string, hints: TextHints): string {
  if (/^(?:city|location|place|town)/i.test(name)) return hints.place ?? "Paris";
  if (/country/i.test(name)) return "France";
  if (/query|question|text|message|prompt|input/i.test(name) && hints.text !== "") return hints.text.slice(0, 200);
  if (/name/i.test(name)) return "Ada";
  return name === "" ? "sandbox" : `sample ${name}`;
}

function fit(text: string, schema: JsonObject): string {
  const min = Math.min(Number(schema["minLength"]) || 0, maxLength);
  const max = typeof schema["maxLength"] === "number" ? schema["maxLength"] : maxLength;
  return Array.from(text.padEnd(min, "x")).slice(0, Math.max(max, 0)).join("");
}
