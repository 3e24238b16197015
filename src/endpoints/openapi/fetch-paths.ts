import { z } from "zod";
import { pageErrorCodes } from "../../search/fetch/page-error.ts";
import { fetchFormats } from "../../search/fetch/page-fetcher.ts";
import { type Descriptions, input, json } from "./description.ts";
import { providerTrace, receipt } from "./search-paths.ts";

const fetchBody = z.looseObject({
  urls: z
    .array(z.string().min(1).max(8_192))
    .min(1)
    .max(20)
    .meta({ description: "http and https addresses of public hosts." }),
  format: z.enum(fetchFormats).nullish().meta({ description: "`markdown` unless told." }),
  backend: z
    .string()
    .nullish()
    .meta({ description: "`auto`, a provider's name, or the id or name of a search backend; `auto` unless told." }),
});

const answer = z.looseObject({
  object: z.literal("fetch"),
  id: z.string(),
  results: z
    .array(
      z.looseObject({
        url: z.string().meta({ description: "As the caller wrote it." }),
        title: z.string().nullable(),
        content: z.string().nullable(),
        error: z.looseObject({ code: z.enum(pageErrorCodes), message: z.string() }).nullable(),
      }),
    )
    .meta({ description: "One for each address, in the caller's order." }),
  usage: z.looseObject({ web_fetch_requests: z.int(), web_fetch_billable_units: z.int() }),
  provider_trace: providerTrace,
  route_receipt: receipt.nullable(),
});

/** The path of fetched pages. */
export const fetchPaths: Descriptions = {
  "POST /v1/fetch": {
    summary: "Fetch pages by their addresses through any search provider that can",
    tag: "search",
    access: "key",
    body: input("FetchRequest", fetchBody),
    answer: json({ name: "Fetch", schema: answer }, "A page or an error for each address"),
  },
};
