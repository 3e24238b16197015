import { z } from "zod";
import { searchDepths, searchTypes, timeRanges } from "../../search/query.ts";
import { type Descriptions, input, json } from "./description.ts";

const text = (description: string) => z.string().nullish().meta({ description });
const flag = (description: string) => z.boolean().nullish().meta({ description });
const domains = (description: string) => z.array(z.string()).max(1_000).nullish().meta({ description });

const searchBody = z.looseObject({
  query: z.string().min(1).max(4_000).meta({ description: "One query." }),
  type: z.enum(searchTypes).nullish().meta({ description: "`web` unless told." }),
  backend: text("`auto`, a provider's name, or the id or name of a search backend; `auto` unless told."),
  region: text("A country as two letters, such as `DE`."),
  language: text("A language tag, such as `pt-BR`."),
  time_range: z.enum(timeRanges).nullish(),
  max_results: z.int().min(1).nullish().meta({ description: "10 unless told; clipped to the backend's maximum." }),
  search_depth: z.enum(searchDepths).nullish(),
  include_answer: flag("The provider's own answer, if it has one."),
  include_raw_content: flag("The text of the pages, if the provider has it."),
  include_domains: domains("Results come from these domains and what is below them alone."),
  exclude_domains: domains("No results come from these domains and what is below them."),
  include_provider_payload: flag("The provider's own answer as it came."),
  provider_options: z
    .record(z.string(), z.looseObject({}).nullable())
    .nullish()
    .meta({ description: "Options by the name of a provider; those of the one that is asked are passed on." }),
});

const result = z.looseObject({
  title: z.string(),
  url: z.string(),
  snippet: z.string(),
  content: z.string().nullable(),
  published_at: z.string().nullable().meta({ description: "RFC 3339 in UTC." }),
  score: z.number().min(0).max(1),
  source: z.string().meta({ description: "The host of the address." }),
});

export const receipt = z.looseObject({
  selection: z.enum(["auto", "explicit"]),
  selected_backend: z.string().nullable(),
  chose_provider: z.string().nullable(),
  candidates: z.array(z.string()),
  rejected: z.array(z.looseObject({ backend: z.string(), reason: z.string() })),
  downgraded: z.boolean(),
  downgrades: z.array(z.looseObject({ field: z.string(), reason: z.string() })),
  fallback_count: z.int(),
  decision_reason: z.string(),
  cache: z
    .enum(["hit", "miss"])
    .nullable()
    .meta({ description: "Whether the answer was kept from before; null if none are kept." }),
});

export const providerTrace = z.looseObject({
  backend: z.string().nullable(),
  attempts: z.int(),
  latency_ms: z.int(),
  provider_request_id: z.string().nullable(),
});

const answer = z.looseObject({
  object: z.literal("search"),
  id: z.string(),
  query: z.string(),
  results: z.array(result),
  answer: z.string().nullable(),
  provider_payload: z.looseObject({}).nullable(),
  usage: z.looseObject({ web_search_requests: z.int(), web_search_billable_units: z.int() }),
  provider_trace: providerTrace,
  route_receipt: receipt.nullable(),
});

/** The path of searches. */
export const searchPaths: Descriptions = {
  "POST /v1/search": {
    summary: "Search the web or news through any search provider",
    tag: "search",
    access: "key",
    body: input("SearchRequest", searchBody),
    answer: json({ name: "Search", schema: answer }, "Results, with how their backend was chosen"),
  },
};
