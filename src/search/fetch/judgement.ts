import type { SearchBackend } from "../backend.ts";
import { findSearchProvider } from "../providers/registry.ts";
import type { Judgement } from "../receipt.ts";
import type { FetchRequest } from "./request.ts";

/** Whether a backend lacks the format that is asked for, as a number; infinite if it fetches nothing. */
export function lacksFormat({ format }: FetchRequest, backend: SearchBackend | null): number {
  const fetcher = backend && findSearchProvider(backend.provider)?.fetch;
  if (!fetcher) return Number.POSITIVE_INFINITY;
  return fetcher.formats.includes(format) ? 0 : 1;
}

export function judgementOf(request: FetchRequest): Judgement {
  return {
    lacksOf: (backend) => lacksFormat(request, backend),
    reasonAgainst: ({ provider }) => (findSearchProvider(provider)?.fetch ? "not_allowed" : "unsupported_option"),
  };
}
