import type { TestGateway } from "../../gateway.testkit.ts";
import { searchProviderNames } from "../../../src/search/providers/registry.ts";

type Script = Parameters<TestGateway["sandbox"]["setModel"]>[1];

/** One way in which a search provider does not answer. */
export interface SearchFault {
  readonly name: string;
  /** What happens, for the page. */
  readonly what: string;
  /** What the vendor is made to do; null if it has nothing like it. If not given, it does it by itself. */
  readonly script?: (provider: string) => Script | null;
  /** Of the request. */
  readonly request?: (provider: string) => object;
  /** The backend's key is one that vendors refuse. */
  readonly hasWrongKey?: true;
  /** No server listens at the backend's address. */
  readonly isUnreachable?: true;
}

/** An error in the vendor's own form. */
const error = (status: number, message: string, code?: string): Script => ({
  fault: { kind: "status", status, message, ...(code !== undefined && { code }) },
});

/** Each vendor's words for an account that is used up. SearXNG has no accounts. */
const quotas: Readonly<Record<string, Script>> = {
  tavily: error(432, "This request exceeds your plan's set usage limit."),
  serper: error(400, "Not enough credits"),
  exa: error(402, "You have exceeded your credits limit.", "NO_MORE_CREDITS"),
  brave: error(429, "Request quota limit exceeded for plan.", "QUOTA_LIMITED"),
  jina: error(402, "Account balance not enough to run this query."),
  perplexity: error(401, "You exceeded your current quota.", "insufficient_quota"),
  linkup: error(429, "You do not have enough credits.", "INSUFFICIENT_FUNDS_CREDITS"),
  firecrawl: error(402, "Insufficient credits to perform this request."),
  parallel: error(402, "Payment required: insufficient credit in account"),
  youcom: error(402, "Payment required"),
  serpapi: error(429, "Your account has run out of searches."),
};

const rateCodes: Readonly<Record<string, string>> = { brave: "RATE_LIMITED", linkup: "TOO_MANY_REQUESTS" };

const html = (status: number): Script => ({ fault: { kind: "html", status } });

export const searchFaults: readonly SearchFault[] = [
  {
    name: "wrong key",
    what: "The backend's key is wrong. SearXNG has none: a proxy in front of it refuses.",
    hasWrongKey: true,
    script: (provider) => (provider === "searxng" ? html(401) : {}),
  },
  {
    name: "quota used up",
    what: "The account has no credit left, in the vendor's words.",
    script: (provider) => quotas[provider] ?? null,
  },
  {
    name: "rate limit",
    what: "Too many requests, in the vendor's words.",
    script: (provider) => error(429, "Too many requests", rateCodes[provider]),
  },
  {
    name: "refused parameter",
    what: "`provider_options` with a name that the vendor does not know.",
    request: (provider) => ({ provider_options: { [provider]: { no_such_option: "1" } } }),
  },
  {
    name: "nothing found",
    what: "No page has the words of the query. Jina and Linkup call that an error.",
    request: () => ({ query: "xylophone" }),
  },
  {
    name: "engines failed",
    what: "200 with an empty list of results, and a list of engines that did not answer.",
    script: (provider) =>
      provider === "searxng"
        ? {
            fault: {
              kind: "status",
              status: 200,
              body: { query: "q", results: [], unresponsive_engines: [["google", "timeout"]] },
            },
          }
        : null,
  },
  { name: "failure", what: "500 in the vendor's form.", script: () => error(500, "Internal error") },
  { name: "proxy's page", what: "502 with a page of HTML.", script: () => html(502) },
  {
    name: "silence",
    what: "Nothing comes within the backend's `timeout_ms`.",
    script: () => ({ fault: { kind: "stall", at: "headers" } }),
  },
  {
    name: "broken JSON",
    what: "200 with a body that is no JSON.",
    script: () => ({ fault: { kind: "malformed_json" } }),
  },
  {
    name: "cut JSON",
    what: "200 with half of an answer.",
    script: () => ({ fault: { kind: "truncated_json" } }),
  },
  {
    name: "no answer",
    what: "200 with `{}`.",
    script: () => ({ fault: { kind: "status", status: 200, body: {} } }),
  },
  {
    name: "closed connection",
    what: "The connection is closed without an answer.",
    script: () => ({ fault: { kind: "close" } }),
  },
  { name: "unreachable", what: "Nothing listens at the address.", isUnreachable: true },
];

/** One fault of one provider. */
export interface SearchCell {
  /** The id of its backends, with `-alone` or `-first`. */
  readonly id: string;
  readonly provider: string;
  readonly fault: SearchFault;
  readonly script: Script;
}

/** Every fault of every provider that has it. */
export const searchCells: readonly SearchCell[] = searchFaults.flatMap((fault, index) =>
  searchProviderNames.flatMap((provider) => {
    const script = fault.script === undefined ? {} : fault.script(provider);
    return script === null ? [] : [{ id: `${provider}-${index}`, provider, fault, script }];
  }),
);
