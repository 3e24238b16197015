import { listOrEmpty, objectOrEmpty } from "../json.ts";
import { lastUserText, type Prompt, type PromptTool } from "../prompt.ts";
import { valueFromSchema } from "./value-from-schema.ts";

/** A call that the model decides to make. */
export interface ChosenCall {
  readonly name: string;
  /** JSON. */
  readonly arguments: string;
}

const maxCalls = 16;
const placeProperty = /^(?:city|location|place|town)/i;

/**
 * Chooses the tools that the scripted model calls. A tool is called if the choice requires it, if the last user
 * message names it, or if that message asks for the weather and the tool's name contains it. A tool with a place is called
 * once for each place the message names; arguments follow the tool's JSON Schema.
 */
export function chooseToolCalls(prompt: Prompt): readonly ChosenCall[] {
  const text = lastUserText(prompt);
  const places = placesIn(text);
  const calls = toolsToCall(prompt, text.toLowerCase()).flatMap((tool) => {
    const wanted = places.length > 0 && takesPlace(tool) ? places : [places[0] ?? null];
    return wanted.map((place) => ({
      name: tool.name,
      arguments: JSON.stringify(valueFromSchema(tool.schema, { place, text })),
    }));
  });
  return calls.slice(0, prompt.parallelTools ? maxCalls : 1);
}

function toolsToCall(prompt: Prompt, text: string): readonly PromptTool[] {
  const choice = prompt.toolChoice;
  if (choice.mode === "none") return [];
  if (choice.mode === "named") return prompt.tools.filter((tool) => tool.name === choice.name).slice(0, 1);
  const named = prompt.tools.filter((tool) => mentions(text, tool.name.toLowerCase()));
  if (named.length > 0) return named;
  const weather = text.includes("weather")
    ? prompt.tools.find((tool) => tool.name.toLowerCase().includes("weather"))
    : undefined;
  if (weather !== undefined) return [weather];
  return choice.mode === "required" ? prompt.tools.slice(0, 1) : [];
}

/** Whether the text names the tool: `get_time` by "get_time" or "get time". */
function mentions(text: string, name: string): boolean {
  return text.includes(name) || text.includes(name.replaceAll(/[_-]+/g, " "));
}

function takesPlace(tool: PromptTool): boolean {
  return Object.entries(objectOrEmpty(tool.schema["properties"])).some(([name, schema]) => {
    const type = objectOrEmpty(schema)["type"];
    return placeProperty.test(name) && (type === "string" || listOrEmpty(type).includes("string"));
  });
}

const maxPlaces = 8;
const maxCharacters = 4000;

/** Finds the places in a text: capitalised names after "in", "for", "at", "of" or "between". */
export function placesIn(text: string): readonly string[] {
  const places = new Set<string>();
  for (const clause of text.slice(0, maxCharacters).matchAll(/\b(?:in|for|at|of|between)\s+([^.?!;]+)/g)) {
    for (const name of (clause[1] ?? "").matchAll(/\p{Lu}[\p{L}'-]*(?: \p{Lu}[\p{L}'-]*)*/gu)) {
      if (places.size < maxPlaces) places.add(name[0]);
    }
  }
  return [...places];
}
