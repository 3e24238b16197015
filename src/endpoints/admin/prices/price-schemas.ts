import { z } from "zod";
import { dimensionNames } from "../../../dimensions.ts";
import { priceFormats } from "../../../billing/prices/import/price-formats.ts";
import { priceLayers } from "../../../billing/prices/price-table.ts";
import { numberParameter, pageLimit } from "../input/page.ts";

const version = "the number of a version";
const versionNumber = numberParameter(1, 1_000_000_000, version);

const noteError = "1 to 500 characters without control characters";
const note = z
  .string({ error: noteError })
  .regex(/^[^\p{C}]{1,500}$/u, { error: noteError })
  .optional()
  .meta({ description: "Why the prices change." });

export const versionListQuery = z.strictObject({
  limit: pageLimit,
  after: numberParameter(1, Number.MAX_SAFE_INTEGER, "the next of the page before")
    .optional()
    .meta({ description: "The `next` of the page before." }),
});

/** The version in a path: a number, or null for the one in force. */
export const versionInPath = z.strictObject({
  version: z.union([z.literal("current").transform(() => null), versionNumber], { error: `${version}, or current` }),
});

/** The version in a path that needs a number. */
export const pathVersion = z.strictObject({ version: versionNumber });

export const priceListQuery = z.strictObject({
  model: z.string().optional().meta({ description: "Only the prices of this model." }),
});

export const diffQuery = z.strictObject({ from: versionNumber, to: versionNumber });

export const replayQuery = diffQuery.extend({
  days: numberParameter(1, 90).default(30).meta({ description: "Days before now whose usage counts; 30 unless told." }),
});

const trueOrFalse = z.enum(["true", "false"], { error: "true or false" });

export const importQuery = z.strictObject({
  format: z
    .enum(priceFormats, { error: `one of ${priceFormats.join(", ")}` })
    .meta({ description: "`tollgate` is the format of one layer of an export." }),
  skip_invalid: trueOrFalse.optional().meta({
    description: "Whether models whose prices are missing or invalid are left out, rather than nothing imported.",
  }),
  note,
});

export const previewQuery = importQuery.omit({ note: true });

/** The body of an activation and of a rollback. */
export const activationInput = z.strictObject({ note }, { error: "an object" });

/** A change of the price list as it is shown. */
const priceChange = z.object({
  version: z.int(),
  created_at: z.int().meta({ description: "Unix seconds." }),
  author: z.string(),
  note: z.string(),
});

export const versionObject = priceChange.extend({ object: z.literal("price_list.version"), in_force: z.boolean() });

export const publishedObject = priceChange.extend({
  object: z.literal("price_list.change"),
  changed: z.boolean().meta({ description: "False if nothing had to be changed." }),
});

const problem = z.object({ path: z.string(), message: z.string() });

export const importedObject = publishedObject.extend({
  models: z.int().meta({ description: "How many models have prices." }),
  left_out_count: z.int(),
  left_out: z.array(problem).meta({ description: "The first hundred." }),
});

const listedPrice = z.object({
  dimension: z.enum(dimensionNames),
  unit: z.string(),
  unit_size: z.int(),
  unit_microusd: z.int(),
  variant: z.string().optional(),
  above_input_tokens: z.int().optional(),
  service_tier: z.string().optional(),
  window: z.string().optional(),
});

const layer = z.enum(priceLayers);

export const priceListObject = z.object({
  object: z.literal("price_list"),
  version: z.int(),
  currency: z.literal("USD"),
  models: z.array(
    z.object({
      id: z.string(),
      target: z.string().optional(),
      source: z.object({ layer, name: z.string(), date: z.string() }),
      cost: z.literal("provider").optional(),
      pricing: z.array(listedPrice),
    }),
  ),
});

const priceDifference = z.object({
  layer,
  model: z.string(),
  price: z.string(),
  before: listedPrice.nullable(),
  after: listedPrice.nullable(),
});

export const priceDiffObject = z.object({
  object: z.literal("price_list.diff"),
  from: z.int(),
  to: z.int(),
  differences: z.array(priceDifference),
});

const replayedCost = {
  requests: z.int(),
  charged_microusd: z.int().meta({ description: "What was charged, with the markups of accounts." }),
  before_microusd: z.int().meta({ description: "The same usage by the version `from`." }),
  after_microusd: z.int().meta({ description: "The same usage by the version `to`." }),
  is_exact: z.boolean().meta({
    description:
      "Exact but for the rounding of each line; false if a version has tiers, windows, sizes or the provider's cost, which sums of usage do not tell: base prices count then.",
  }),
};

const replayFields = {
  days: z.int(),
  since: z.int().meta({ description: "Unix seconds." }),
  ...replayedCost,
  unknown_requests: z
    .int()
    .meta({ description: "Requests of models that have left the catalog, and are not counted." }),
  models_count: z.int(),
  models: z
    .array(z.object({ model: z.string(), provider: z.string().nullable(), ...replayedCost }))
    .meta({ description: "The hundred whose cost differs most." }),
};

export const priceReplayObject = z.object({
  object: z.literal("price_list.replay"),
  from: z.int(),
  to: z.int(),
  ...replayFields,
});

export const pricePreviewObject = z.object({
  object: z.literal("price_list.preview"),
  models: z.int().meta({ description: "How many models have prices." }),
  left_out_count: z.int(),
  differences_count: z.int(),
  differences: z.array(priceDifference).meta({ description: "The first 500." }),
  replay: z.object(replayFields).meta({ description: "What the usage of the last 30 days would have cost." }),
});

export const priceExportObject = z.object({
  object: z.literal("price_list.export"),
  version: z.int(),
  layers: z.array(
    z.object({
      layer,
      source: z.string().nullable(),
      date: z.string().nullable(),
      models: z.array(
        z.object({
          id: z.string(),
          target: z.string().optional(),
          prices: z.record(z.string(), z.unknown()).meta({ description: "As in a configuration, in USD." }),
          cost: z.literal("provider").optional(),
        }),
      ),
    }),
  ),
  bundled: z.string().nullable(),
});
