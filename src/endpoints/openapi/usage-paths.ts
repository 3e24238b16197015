import { z } from "zod";
import { filterParameters, minimumParameters, operatorParameters } from "../../usage/read-filter.ts";
import { summaryParameters } from "../../usage/summary-query.ts";
import { bodiesObject } from "../admin/usage/body-schemas.ts";
import { type DescribedAnswer, type Description, type Descriptions, input, json } from "./description.ts";
import { usageRecord } from "./usage-record.ts";

const words: Readonly<Record<string, string>> = {
  from: "RFC 3339 or Unix seconds; inclusive.",
  to: "RFC 3339 or Unix seconds; exclusive.",
  by: "A list of names such as `day,model`, also `key`, `account`, `provider`, `tag:NAME`, `end_user` and `session`.",
  include: "`latency`: percentiles of durations, which are not kept for tags, end users and sessions.",
  status: "One or several, as `failed,refused`.",
  provider: "The id of the provider that answered, or was asked last.",
  min_amount_microusd: "Only requests that cost at least so many micro-USD.",
  min_latency_ms: "Only requests that took at least so many milliseconds.",
  time_zone: "An IANA name; UTC unless told.",
  end_user: "Only requests for this end user. `tag:NAME=VALUE` selects by a tag.",
  format: "`csv` unless told.",
  after: "The `next` of the page before.",
};

/** A query of these parameters. */
function query(...names: readonly string[]): z.ZodObject {
  const field = (name: string) => z.string().optional().meta({ description: words[name] });
  return z.object(Object.fromEntries(names.map((name) => [name, field(name)])));
}

const selecting = [...filterParameters, "end_user", "session"];

const percentiles = z
  .object({ p50: z.int(), p95: z.int() })
  .nullable()
  .optional()
  .meta({ description: "In milliseconds, of the requests that succeeded, within 6.25 %." });

const sums = {
  requests: z.int(),
  errors: z.int(),
  tokens: z.record(z.string(), z.int()),
  total_tokens: z.int(),
  units: z.record(z.string(), z.number()),
  amount_microusd: z.int(),
  cache_saved_microusd: z.int(),
  latency_ms: percentiles,
  time_to_first_byte_ms: percentiles,
};

const summary = {
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

const text = (type: string) => [type, { name: "UsageFile", schema: z.string() }] as const;

const file: DescribedAnswer = {
  description: "The records, newest first",
  content: Object.fromEntries([text("text/csv"), text("application/jsonl")]),
};

/** The same for the key that asks and, below `/api/admin`, for all keys. */
function forBoth(path: string, summaryOfPath: string, names: readonly string[], answer: DescribedAnswer): Descriptions {
  const described = { tag: "usage", answer };
  const own: Description = {
    ...described,
    summary: `${summaryOfPath} of the key`,
    access: "key",
    query: query(...names, ...selecting),
  };
  const all: Description = {
    ...described,
    summary: `${summaryOfPath} of all keys`,
    access: "admin",
    query: query(...names, ...selecting, ...operatorParameters),
  };
  return { [`GET /api/usage/${path}`]: own, [`GET /api/admin/usage/${path}`]: all };
}

const line = z.looseObject({ dimension: z.string(), amount_microusd: z.int() });
const amount = z.looseObject({ amount_microusd: z.int().nullable(), line_items: z.array(line) });

/** The paths of usage and its cost. */
export const usagePaths: Descriptions = {
  ...forBoth(
    "requests",
    "List the records, newest first,",
    ["limit", "after", ...minimumParameters],
    json({ page: usageRecord }, "A page of records"),
  ),
  ...forBoth("summary", "Sum up the requests", summaryParameters, json(summary, "The sums")),
  ...forBoth("export", "Export the records", ["format", ...minimumParameters], file),
  "GET /api/usage/requests/{id}": {
    summary: "Show the record of a request of the same key, by request id or response id",
    tag: "usage",
    access: "key",
    answer: json(usageRecord, "The record"),
  },
  "GET /api/usage/requests/{id}/bodies": {
    summary: "Show the kept bodies of a request of the same key, if its account has bodies kept",
    tag: "usage",
    access: "key",
    answer: json({ name: "RequestBodies", schema: bodiesObject }, "The bodies"),
  },
  "POST /api/quote": {
    summary: "Say what a request would cost, without sending it",
    tag: "usage",
    access: "key",
    body: input("QuotedRequest", z.looseObject({ path: z.string(), body: z.looseObject({}) })),
    answer: json(
      {
        name: "Quote",
        schema: z.looseObject({
          object: z.literal("quote"),
          path: z.string(),
          model: z.string(),
          resolved_model: z.string(),
          pricing_version: z.int(),
          currency: z.literal("USD"),
          estimated: amount,
          greatest: amount,
        }),
      },
      "The amounts",
    ),
  },
};
