import { z } from "zod";
import { modelEndpointNames } from "../../../dialects/registry.ts";
import { strategyNames } from "../../../routing/names/route.ts";
import { numberParameter } from "../input/page.ts";
import { targetHealthObject, targetTestObject } from "./provider-schemas.ts";

const text = (description: string) => z.string().nullish().meta({ description });
const target = z.looseObject({
  provider: z.string(),
  model: z.string().meta({ description: "The provider's own name for the model." }),
  weight: z.int().optional(),
  prices: z.looseObject({}).nullish(),
  cost: z.literal("provider").nullish(),
});
const modalities = z.array(z.string()).nullish();

/** The bodies of a new model and of a change: the rules themselves are those of the configuration. */
const fields = {
  name: text("Shown in lists; its id unless told."),
  description: text("Shown in lists."),
  owned_by: text("Shown in lists; the first provider unless told."),
  created: z.union([z.int(), z.string()]).nullish(),
  strategy: z.enum(strategyNames).nullish().meta({ description: "How one of several targets is chosen." }),
  retry: z.looseObject({}).nullish(),
  endpoints: z.array(z.enum(modelEndpointNames)).nullish(),
  parameters: z.record(z.string(), z.unknown()).nullish(),
  input_modalities: modalities,
  output_modalities: modalities,
  context_length: z.int().nullish(),
  max_output_tokens: z.int().nullish(),
  hosted_tools: z.enum(["omit", "refuse"]).nullish(),
  web_search: z.looseObject({}).nullish(),
  temperature: z.looseObject({}).nullish(),
  deprecated_at: z.union([z.int(), z.string()]).nullish(),
  prices: z.looseObject({}).nullish().meta({ description: "They become a version of the price list." }),
  cost: z.literal("provider").nullish(),
};

export const newModelInput = z.strictObject({ id: z.string(), targets: z.array(target), ...fields });
export const modelChangeInput = z.strictObject({ targets: z.array(target).optional(), ...fields });

export const modelListQuery = z.strictObject({
  limit: numberParameter(1, 200).default(50).meta({ description: "The number of items." }),
  after: z.string().optional().meta({ description: "The `next` of the page before." }),
  source: z.enum(["config", "storage"], { error: "config or storage" }).optional(),
  provider: z.string().optional().meta({ description: "Only models with a target at this provider." }),
  search: z
    .string()
    .max(200, { error: "at most 200 characters" })
    .optional()
    .meta({ description: "A part of the id." }),
});

/** A model as operators see it. One that is not in force has the fields that are stored. */
export const modelObject = z.looseObject({
  object: z.literal("model_definition"),
  id: z.string(),
  source: z.enum(["config", "storage"]),
  locked: z.boolean().meta({ description: "It is in the configuration, and cannot be changed here." }),
  line: z
    .int()
    .nullable()
    .meta({ description: "The line of the configuration file that sets it; null if it is stored or built in." }),
  name: z.string().optional(),
  description: z.string().nullish(),
  owned_by: z.string().optional(),
  targets: z.array(target).optional(),
  strategy: z.enum(strategyNames).nullish(),
  endpoints: z.array(z.string()).optional(),
  parameters: z.record(z.string(), z.unknown()).optional(),
  context_length: z.int().nullish(),
  max_output_tokens: z.int().nullish(),
  prices: z.looseObject({}).nullish(),
  cost: z.literal("provider").nullish(),
  updated_at: z.int().nullable().meta({ description: "Unix seconds; null for one of the configuration." }),
  problem: z.string().nullable().meta({ description: "Why it is not in force; null if it is." }),
  health: z.array(targetHealthObject).meta({ description: "Of each target, in the process that answers." }),
});

export const deletedModelObject = z.object({
  id: z.string(),
  object: z.literal("model_definition"),
  deleted: z.literal(true),
});

export const modelTestObject = z.object({
  id: z.string(),
  object: z.literal("model.test"),
  data: z.array(targetTestObject),
});
