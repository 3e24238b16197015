import type { RouteReceipt } from "../../src/search/receipt.ts";
import type { SearchResult } from "../../src/search/answer.ts";
import type { TestGateway } from "../gateway.testkit.ts";

/** The answer of a search, or its error. */
export interface SearchBody {
  readonly object: string;
  readonly id: string;
  readonly query: string;
  readonly results: readonly SearchResult[];
  readonly answer: string | null;
  readonly provider_payload: Readonly<Record<string, unknown>> | null;
  readonly usage: { readonly web_search_requests: number; readonly web_search_billable_units: number };
  readonly provider_trace: {
    readonly backend: string;
    readonly attempts: number;
    readonly latency_ms: number;
    readonly provider_request_id: string | null;
  };
  readonly route_receipt: RouteReceipt;
  readonly error?: {
    readonly type: string;
    readonly code: string;
    readonly param: string | null;
    readonly message: string;
  };
}

export interface Searched {
  readonly status: number;
  readonly headers: Headers;
  readonly body: SearchBody;
}

/** Sends a search; `query` has a default. */
export async function searchAt(
  gateway: TestGateway,
  body: Readonly<Record<string, unknown>> = {},
  headers: Readonly<Record<string, string>> = {},
): Promise<Searched> {
  const response = await gateway.fetch("/v1/search", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ query: "coffee", ...body }),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as SearchBody };
}

/** The body of the newest search that a vendor of the sandbox was sent. */
export function lastCall({ sandbox }: TestGateway): Readonly<Record<string, unknown>> {
  const text = new TextDecoder().decode(sandbox.requests.at(-1)?.body);
  return text === "" ? {} : (JSON.parse(text) as Readonly<Record<string, unknown>>);
}
