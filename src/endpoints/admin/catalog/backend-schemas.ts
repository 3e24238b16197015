import { z } from "zod";
import { historyObject } from "./provider-schemas.ts";

/** A body whose fields are read by the rules of the configuration. */
export const openInput = z.looseObject({});

const query = "a text";
export const backendTestInput = z.strictObject({
  query: z
    .string({ error: query })
    .optional()
    .meta({ description: "What to search for; a query of its own unless told." }),
});

const ids = "a list of the ids of all stored search backends";
export const backendOrderInput = z.strictObject({
  ids: z
    .array(z.string({ error: "the id of a search backend" }), { error: ids })
    .max(1_000, { error: ids })
    .meta({ description: "All stored search backends: they get the priorities 1, 2, 3, ... in this order." }),
});

const text = (description: string) => z.string().nullish().meta({ description });
const count = (description: string) => z.int().nullish().meta({ description });
const flag = (description: string) => z.boolean().nullish().meta({ description });

const fields = {
  name: text("What callers may name it by, beside its id; its id unless told."),
  base_url: text("The address of the provider; the vendor's own unless told."),
  api_key: text("Sealed in the storage, and never shown again."),
  api_keys: z
    .array(z.string())
    .min(1)
    .nullish()
    .meta({ description: "Several keys, used in turn, in place of `api_key`." }),
  headers: z
    .record(z.string(), z.string())
    .nullish()
    .meta({ description: "Sent with every call. Sealed in the storage, and never shown again." }),
  search_price: z.union([z.number(), z.string()]).nullish().meta({ description: "USD for one billing unit." }),
  cost: z.literal("provider").nullish().meta({ description: "`provider` charges what the provider says." }),
  max_results: count("More are clipped; 10 unless told."),
  timeout_ms: count("For the whole call; 8000 unless told."),
  max_in_flight: count("Calls at once."),
  enabled: flag("A disabled backend is not found by name."),
  priority: count("The lowest number is asked first; 1 unless told."),
  weight: count("Its share among backends that are equal otherwise; 1 unless told."),
  allow_fallback: flag("Whether others may answer a caller who has named this one."),
  cache: flag("Whether its answers may be kept, if there is a cache; as its vendor allows unless told."),
};

/** The bodies of a new backend and of a change, described: the rules themselves are those of the configuration. */
export const newBackendInput = z.strictObject({
  id: z.string(),
  provider: z.string().meta({ description: "The name of a search provider." }),
  ...fields,
});
export const backendChangeInput = z.strictObject({ provider: z.string().optional(), ...fields });

/** A search backend as operators see it. One that is not in force has the fields that are stored. */
export const backendObject = z.looseObject({
  object: z.literal("search_backend"),
  id: z.string(),
  source: z.enum(["config", "storage"]),
  locked: z.boolean().meta({ description: "It is in the configuration, and cannot be changed here." }),
  line: z
    .int()
    .nullable()
    .meta({ description: "The line of the configuration file that sets it; null if it is stored or built in." }),
  has_api_key: z.boolean(),
  api_key_hint: z.string().nullable().meta({ description: "The last four characters of a long key." }),
  has_headers: z.boolean(),
  name: z.string().optional(),
  provider: z.string(),
  base_url: z.string().optional(),
  search_price: z.union([z.number(), z.string()]).nullish(),
  cost: z.literal("provider").nullish(),
  max_results: z.int().optional(),
  timeout_ms: z.int().optional(),
  max_in_flight: z.int().nullish(),
  enabled: z.boolean().optional(),
  priority: z.int().optional(),
  weight: z.int().optional(),
  allow_fallback: z.boolean().optional(),
  cache: z.boolean().optional(),
  updated_at: z.int().nullable().meta({ description: "Unix seconds; null for one of the configuration." }),
  problem: z.string().nullable().meta({ description: "Why it is not in force, or never asked; null if all is well." }),
  health: z
    .object({
      status: z.enum(["healthy", "unhealthy"]),
      circuit: z.enum(["closed", "open", "half_open"]),
      open_until: z.int().nullable().meta({ description: "Unix seconds." }),
      in_flight: z.int(),
      error_rate: z.number(),
      latency_ms: z.number().nullable(),
      history: historyObject,
    })
    .nullable()
    .meta({ description: "In the process that answers; null if it is not in force." }),
  last_error: z
    .object({
      class: z.string().meta({ description: "In the words of receipts." }),
      at: z.int().meta({ description: "Unix seconds." }),
      message: z.string().nullable(),
    })
    .nullable(),
});

export const deletedBackendObject = z.object({
  id: z.string(),
  object: z.literal("search_backend"),
  deleted: z.literal(true),
});

export const backendTestObject = z.object({
  id: z.string(),
  object: z.literal("search_backend.test"),
  ok: z.boolean(),
  latency_ms: z.int(),
  results: z.int().nullable(),
  error: z
    .object({ class: z.string(), status: z.int().nullable(), message: z.string().nullable() })
    .nullable()
    .meta({ description: "`class` in the words of receipts; null if it has answered." }),
});
