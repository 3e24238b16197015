import { z } from "zod";
import type { DescribedAnswer, Descriptions, NamedSchema } from "./description.ts";
import { input, json } from "./description.ts";

const time = z.string().describe("RFC 3339, a date, or Unix seconds");
const selection = {
  model: z.string().optional(),
  endpoint: z.string().describe("The path, as records have it").optional(),
  status: z.enum(["succeeded", "failed", "cancelled", "refused", "pending"]).optional(),
  from: time.optional().describe("Inclusive"),
  to: time.optional().describe("Exclusive"),
  end_user: z.string().optional(),
  session: z.string().optional(),
  "tag:NAME": z.string().optional().describe("The value of the tag NAME"),
};
const owners = { key: z.string().optional(), account: z.string().optional() };
const page = { limit: z.int().min(1).max(1_000).default(50), after: z.string().optional() };
const summary = {
  by: z.string().describe("hour, day, week, month, model, endpoint, status, provider, tag:NAME, end_user, session"),
  time_zone: z.string().default("UTC"),
};
const format = { format: z.enum(["csv", "jsonl", "focus"]).default("csv") };

const sums = {
  requests: z.int(),
  errors: z.int(),
  tokens: z.record(z.string(), z.int()),
  total_tokens: z.int(),
  units: z.record(z.string(), z.number()),
  amount_microusd: z.int(),
};
const usageSummary: NamedSchema = {
  name: "UsageSummary",
  schema: z.looseObject({
    object: z.literal("usage.summary"),
    by: z.array(z.string()),
    time_zone: z.string(),
    from: z.number().nullable(),
    to: z.number().nullable(),
    currency: z.literal("USD"),
    data: z.array(z.looseObject(sums)),
    total: z.looseObject(sums),
  }),
};
const amount = z.looseObject({ amount_microusd: z.int().nullable(), line_items: z.array(z.looseObject({})) });
const quote: NamedSchema = {
  name: "Quote",
  schema: z.looseObject({
    object: z.literal("quote"),
    model: z.string(),
    resolved_model: z.string(),
    pricing_version: z.int(),
    estimated: amount,
    greatest: amount,
  }),
};
const file: DescribedAnswer = {
  description: "The records, newest first",
  content: {
    "text/csv": { name: "UsageCsv", schema: z.string() },
    "application/jsonl": { name: "UsageLines", schema: z.string() },
  },
};

/** The paths of usage for callers. @param record the schema of a record */
export function usagePaths(record: NamedSchema): Descriptions {
  const usage = { tag: "usage", access: "key" } as const;
  return {
    "GET /api/usage/requests": {
      summary: "List the records of the key, newest first",
      ...usage,
      query: z.object({ ...page, ...selection }),
      answer: json({ page: record }, "The records"),
    },
    "GET /api/usage/summary": {
      summary: "Add up what the key has used and what it cost",
      ...usage,
      query: z.object({ ...summary, ...selection }).partial(),
      answer: json(usageSummary, "The sums"),
    },
    "GET /api/usage/export": {
      summary: "Export the records of the key as CSV, JSON lines or FOCUS",
      ...usage,
      query: z.object({ ...format, ...selection }),
      answer: file,
    },
    "POST /api/quote": {
      summary: "Tell what a request would cost; nothing is sent",
      ...usage,
      body: input("QuotedRequest", z.looseObject({ path: z.string(), body: z.looseObject({}) })),
      answer: json(quote, "The quote"),
    },
  };
}

/** The same over all keys. @param record the schema of an operator's record */
export function operatorUsagePaths(record: NamedSchema): Descriptions {
  const usage = { tag: "usage", access: "admin" } as const;
  return {
    "GET /api/admin/usage/requests": {
      summary: "List the records of all keys, newest first, with their attempts",
      ...usage,
      query: z.object({ ...page, ...selection, ...owners }),
      answer: json({ page: record }, "The records"),
    },
    "GET /api/admin/usage/summary": {
      summary: "Add up what all keys have used and what it cost",
      ...usage,
      query: z.object({ ...summary, ...selection, ...owners }).partial(),
      answer: json(usageSummary, "The sums"),
    },
    "GET /api/admin/usage/export": {
      summary: "Export the records of all keys as CSV, JSON lines or FOCUS",
      ...usage,
      query: z.object({ ...format, ...selection, ...owners }),
      answer: file,
    },
  };
}
