import type { CatalogModel } from "../../../api/types.ts";
import type { ConversationSettings, JsonObject, ToolDefinition } from "./conversation.ts";

/** What stands in the settings, as it was typed. */
export interface SettingsForm {
  readonly system: string;
  readonly effort: ConversationSettings["effort"];
  readonly maxTokens: string;
  readonly temperature: string;
  /** Null: the answer is no JSON. */
  readonly schema: string | null;
  readonly tools: readonly ToolForm[];
}

export interface ToolForm {
  readonly name: string;
  readonly description: string;
  readonly parameters: string;
}

export const emptySettings: SettingsForm = {
  system: "",
  effort: null,
  maxTokens: "",
  temperature: "",
  schema: null,
  tools: [],
};

const json = (value: JsonObject) => JSON.stringify(value, null, 2);

export const exampleSchema = json({
  type: "object",
  properties: { answer: { type: "string" } },
  required: ["answer"],
  additionalProperties: false,
});

export const exampleTool: ToolForm = {
  name: "get_weather",
  description: "The weather at a place",
  parameters: json({
    type: "object",
    properties: { place: { type: "string" } },
    required: ["place"],
    additionalProperties: false,
  }),
};

/** The features of a model that the explorer has a use for. */
export const abilities = ["tools", "vision", "json_schema", "reasoning"] as const;
export type Ability = (typeof abilities)[number];

/** By feature, the first of the models that has declared not to have it. */
export type Lacking = Readonly<Partial<Record<Ability, string>>>;

export function lackingOf(names: readonly string[], catalog: readonly CatalogModel[]): Lacking {
  const models = names.flatMap((name) => {
    const model = catalog.find(({ id, aliases }) => id === name || aliases.includes(name));
    return model ? [{ name, parameters: model.parameters }] : [];
  });
  const entries = abilities.flatMap((ability) => {
    const found = models.find(({ parameters }) => parameters[ability] === false);
    return found ? [[ability, found.name] as const] : [];
  });
  return Object.fromEntries(entries);
}

/** The object of a text of JSON; null if it is none. */
export function readObject(text: string): JsonObject | null {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
  } catch {
    return null;
  }
}

export function isToolName(name: string): boolean {
  return /^[\w-]{1,64}$/.test(name);
}

/** A whole number of at least 1: null for none, undefined if it is no such number. */
export function readMaxTokens(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  return /^[1-9]\d{0,8}$/.test(text.trim()) ? Number(text) : undefined;
}

/** A number from 0 to 2: null for none, undefined if it is no such number. */
export function readTemperature(text: string): number | null | undefined {
  if (text.trim() === "") return null;
  const value = /^\d(\.\d{1,4})?$/.test(text.trim()) ? Number(text) : Number.NaN;
  return value >= 0 && value <= 2 ? value : undefined;
}

/** The settings as they are asked with, without what a model lacks; null if something typed is wrong. */
export function readSettings(form: SettingsForm, lacking: Lacking): ConversationSettings | null {
  const maxTokens = readMaxTokens(form.maxTokens);
  const temperature = readTemperature(form.temperature);
  const schema = form.schema === null || lacking.json_schema !== undefined ? undefined : readObject(form.schema);
  const tools = lacking.tools === undefined ? form.tools.map(readTool) : [];
  if (maxTokens === undefined || temperature === undefined || schema === null) return null;
  if (!tools.every((tool) => tool !== null)) return null;
  const effort = lacking.reasoning === undefined ? form.effort : null;
  return { system: form.system.trim(), effort, maxTokens, temperature, schema: schema ?? null, tools };
}

function readTool({ name, description, parameters }: ToolForm): ToolDefinition | null {
  const schema = readObject(parameters);
  return isToolName(name) && schema !== null ? { name, description, parameters: schema } : null;
}
