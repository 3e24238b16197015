import type { PageResult } from "../../src/search/fetch/match-pages.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import type { SearchBody } from "./search.testkit.ts";

/** The answer of a fetch, or its error. */
export interface FetchBody extends Pick<SearchBody, "object" | "id" | "provider_trace" | "route_receipt" | "error"> {
  readonly results: readonly PageResult[];
  readonly usage: { readonly web_fetch_requests: number; readonly web_fetch_billable_units: number };
}

/** Fetches pages. */
export async function fetchAt(
  gateway: TestGateway,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ readonly status: number; readonly headers: Headers; readonly body: FetchBody }> {
  const response = await gateway.fetch("/v1/fetch", {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify(body),
  });
  return { status: response.status, headers: response.headers, body: (await response.json()) as FetchBody };
}

/** The codes of the errors of an answer, null for pages. */
export function codesOf({ results }: FetchBody): (string | null)[] {
  return results.map(({ error }) => error?.code ?? null);
}
