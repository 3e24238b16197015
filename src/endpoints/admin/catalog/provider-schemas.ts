import { z } from "zod";
import { dialectNames } from "../../../dialects/registry.ts";

/** The body of a new provider and of a change: the rules themselves are those of the configuration. */
const text = (description: string) => z.string().nullish().meta({ description });
const milliseconds = z.int().optional();

const fields = {
  dialect: z.enum(dialectNames).nullish(),
  dialects: z.array(z.enum(dialectNames)).nullish().meta({ description: "Several, in place of `dialect`." }),
  base_url: text("The address of the provider; the vendor's own unless told, if it has one."),
  api_key: text("Sealed in the storage, and never shown again."),
  api_keys: z.array(z.string()).nullish().meta({ description: "Several keys, used in turn, in place of `api_key`." }),
  headers: z
    .record(z.string(), z.string())
    .nullish()
    .meta({ description: "Sent with every call. Sealed in the storage, and never shown again." }),
  webhook_secret: text("What fal or Replicate sign their webhooks with. Sealed, and never shown again."),
  timeouts: z
    .object({
      connect_ms: milliseconds,
      first_byte_ms: milliseconds,
      idle_ms: milliseconds,
      total_ms: milliseconds,
    })
    .nullish(),
  max_in_flight: z.int().nullish().meta({ description: "Calls at once; no limit unless told." }),
  circuit: z
    .object({
      failures: z.int().optional(),
      open_ms: milliseconds,
      failure_rate: z.number().optional(),
      least_calls: z.int().optional(),
    })
    .nullish(),
  on_caller_abort: z.enum(["cancel", "drain"]).nullish(),
};

export const newProviderInput = z.strictObject({ id: z.string(), ...fields });
export const providerChangeInput = z.strictObject(fields);

const model = "the provider's own name of a model";
export const providerTestInput = z.strictObject({
  model: z.string({ error: model }).min(1, { error: model }).max(512, { error: model }).optional().meta({
    description:
      "Puts one tiny request to this model, which may be charged; without it the list of models is asked for.",
  }),
});

export const historyObject = z
  .object({
    bucket_seconds: z.int(),
    until: z.int().meta({ description: "The end of the last bucket, in Unix seconds." }),
    ok: z.array(z.int()).meta({ description: "Calls that ended well, for each bucket, oldest first." }),
    failed: z.array(z.int()),
  })
  .nullable()
  .meta({
    description: "The calls of the last day in the process that answers, since its start; null if there were none.",
  });

export const lastErrorObject = z
  .object({
    class: z.string().meta({ description: "A fault class, as `fallback_on` names it." }),
    status: z.int().nullable().meta({ description: "The provider's HTTP status." }),
    at: z.int().meta({ description: "Unix seconds." }),
    message: z.string().nullable(),
  })
  .nullable();

export const circuit = z.enum(["closed", "open", "half_open"]);

export const targetHealthObject = z.object({
  provider: z.string(),
  upstream_model: z.string(),
  state: circuit,
  open_until: z.int().nullable().meta({ description: "Unix seconds." }),
  in_flight: z.int(),
  error_rate: z.number(),
  latency_ms: z.number().nullable(),
  last_error: lastErrorObject,
  history: historyObject,
});

/** A provider as operators see it. One that is not in force has the fields that are stored. */
export const providerObject = z.looseObject({
  object: z.literal("provider"),
  id: z.string(),
  source: z.enum(["config", "storage"]),
  locked: z.boolean().meta({ description: "It is in the configuration, and cannot be changed here." }),
  line: z
    .int()
    .nullable()
    .meta({ description: "The line of the configuration file that sets it; null if it is stored or built in." }),
  dialects: z.array(z.string()).optional(),
  base_url: z.string().optional(),
  timeouts: z.record(z.string(), z.int()).optional(),
  max_in_flight: z.int().nullish(),
  circuit: z.record(z.string(), z.number()).optional(),
  on_caller_abort: z.enum(["cancel", "drain"]).optional(),
  has_tls: z.boolean().optional(),
  has_api_key: z.boolean(),
  api_key_hint: z.string().nullable().meta({ description: "The last four characters of a long key." }),
  api_keys_count: z.int(),
  has_headers: z.boolean(),
  has_webhook_secret: z.boolean(),
  updated_at: z.int().nullable().meta({ description: "Unix seconds; null for one of the configuration." }),
  problem: z.string().nullable().meta({ description: "Why it is not in force, or never asked; null if all is well." }),
  models: z.array(z.string()).meta({ description: "The first hundred models that have a target at it." }),
  models_count: z.int(),
  health: z
    .object({
      status: z.enum(["healthy", "degraded", "unhealthy"]),
      circuits: z.object({ closed: z.int(), open: z.int(), half_open: z.int() }),
      in_flight: z.int(),
      last_error: lastErrorObject,
      history: historyObject,
    })
    .nullable()
    .meta({ description: "Of all its targets, in the process that answers; null if it is not in force." }),
});

export const deletedProviderObject = z.object({
  id: z.string(),
  object: z.literal("provider"),
  deleted: z.literal(true),
});

const testError = z
  .object({ class: z.string(), status: z.int().nullable(), message: z.string().nullable() })
  .nullable()
  .meta({ description: "`class` is a fault class, or `caller`; null if it has answered." });

export const providerTestObject = z.object({
  id: z.string(),
  object: z.literal("provider.test"),
  ok: z.boolean(),
  latency_ms: z.int(),
  models: z
    .object({ count: z.int(), names: z.array(z.string()) })
    .nullable()
    .meta({ description: "What the provider lists, the first 200 by name; null if that was not asked, or failed." }),
  error: testError,
});

export const targetTestObject = z.object({
  provider: z.string(),
  upstream_model: z.string(),
  ok: z.boolean(),
  latency_ms: z.int(),
  error: testError,
});
