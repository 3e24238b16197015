import { z } from "zod";
import { budgetStateObject } from "../admin/accounts/budget-schemas.ts";
import { type Descriptions, input, json, type NamedSchema } from "./description.ts";

const object = (name: string, fields: z.ZodRawShape): NamedSchema => ({ name, schema: z.looseObject(fields) });
const list = (name: string, fields: z.ZodRawShape = {}) =>
  object(name, { object: z.literal("list"), data: z.array(z.looseObject(fields)) });

const model = object("Model", { id: z.string() });
const googleModel = object("GoogleModel", { name: z.string() });
const models = object("ModelList", {});
const response = object("StoredResponse", { id: z.string(), object: z.literal("response"), status: z.string() });
const account = object("OwnAccount", {
  object: z.literal("account"),
  id: z.string(),
  mode: z.enum(["unlimited", "prepaid"]),
  balance_microusd: z.int(),
  held_microusd: z.int(),
  available_microusd: z.int(),
  currency: z.literal("USD"),
  budgets: z.array(budgetStateObject),
  limits: z.object({
    requests_per_minute: z.int().nullable(),
    tokens_per_minute: z.int().nullable(),
    concurrent_requests: z.int().nullable(),
  }),
});

const noQuery = {} as const;
const key = { access: "key" } as const;
const anyone = { access: "anyone" } as const;

/** The gateway's own paths for callers. */
export const callerPaths: Descriptions = {
  "GET /v1/responses/{id}": {
    summary: "Retrieve a stored response",
    tag: "responses",
    ...key,
    answer: json(response, "The response"),
  },
  "DELETE /v1/responses/{id}": {
    summary: "Delete a stored response",
    tag: "responses",
    ...key,
    answer: json(object("DeletedResponse", { id: z.string(), deleted: z.literal(true) }), "What was deleted"),
  },
  "GET /v1/responses/{id}/input_items": {
    summary: "List the input of a stored response",
    tag: "responses",
    ...key,
    query: z.object({
      limit: z.int().min(1).max(100).optional(),
      order: z.enum(["asc", "desc"]).optional(),
      after: z.string().optional(),
    }),
    answer: json(list("InputItemList"), "A page of items"),
  },
  "POST /v1/responses/{id}/cancel": {
    summary: "Refused: no response is made in the background",
    tag: "responses",
    ...key,
    answer: json(response, "Never"),
  },
  "GET /v1/models": {
    summary: "List the models of the key, as OpenAI does, or as the vendor whose SDK asks",
    tag: "models",
    ...key,
    answer: json(models, "The models"),
  },
  "GET /v1/models/{id+}": { summary: "Show a model", tag: "models", ...key, answer: json(model, "The model") },
  "GET /v1beta/models": {
    summary: "List the models of the key, as Google does",
    tag: "models",
    ...key,
    answer: json(models, "The models"),
  },
  "GET /v1beta/models/{id+}": {
    summary: "Show a model, as Google does",
    tag: "models",
    ...key,
    answer: json(googleModel, "The model"),
  },
  "GET /api/models/catalog": {
    summary: "List the models of the key with their abilities, limits and prices",
    tag: "models",
    ...key,
    answer: json(
      list("Catalog", { id: z.string(), object: z.literal("model"), supported_endpoint_types: z.array(z.string()) }),
      "The catalog, with an ETag",
    ),
  },
  "GET /api/account": {
    summary: "Show the account of the key, with its balance right now",
    tag: "usage",
    ...key,
    answer: json(account, "The account"),
  },
  "POST /api/routes/explain": {
    summary: "Explain which models and targets a request would go to; no provider is asked",
    tag: "routes",
    ...key,
    query: z.object({ endpoint: z.string().default("chat") }),
    body: input("ExplainedRequest", z.looseObject({ model: z.string() })),
    answer: json(object("Explanation", noQuery), "The candidates in order, and those left out"),
  },
  "GET /api/openapi.json": {
    summary: "This document",
    tag: "service",
    ...anyone,
    answer: json(object("OpenApiDocument", { openapi: z.string() }), "An OpenAPI 3.1 document, with an ETag"),
  },
  "GET /": {
    summary: "What this is, as a page for browsers and as JSON for all others",
    tag: "service",
    ...anyone,
    answer: json(object("Home", { object: z.literal("gateway"), version: z.string() }), "The service"),
  },
  "GET /healthz": {
    summary: "Whether the process runs",
    tag: "service",
    ...anyone,
    answer: json(object("Alive", { status: z.literal("ok") }), "It runs"),
  },
  "GET /readyz": {
    summary: "Whether new requests can be served; 503 if not",
    tag: "service",
    ...anyone,
    answer: json(
      object("Readiness", {
        status: z.enum(["ready", "not_ready"]),
        draining: z.boolean(),
        storage: z.enum(["ok", "journalling", "unavailable"]),
      }),
      "It is ready",
    ),
  },
};
