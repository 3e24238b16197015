import type { JsonObject } from "../json.ts";
import type { Failure } from "../refusal.ts";
import type { CorpusQuery } from "./corpus.ts";
import type { FoundPage } from "./fetch-page.ts";
import type { Page } from "./page.ts";

/** A request for a search as a vendor gets it. */
export interface VendorRequest {
  /** The parsed body; null if there is none. */
  readonly body: JsonObject | null;
  readonly parameters: URLSearchParams;
  /** Lower-case names. */
  readonly headers: Readonly<Record<string, string>>;
}

/** A request that a vendor takes: what is looked for, and how the pages that were found are written. */
export interface VendorSearch extends CorpusQuery {
  /** @param id unique in this sandbox */
  write(pages: readonly Page[], id: string): JsonObject;
}

/** A request for pages that a vendor takes: their addresses, and how they are written. */
export interface VendorFetch {
  readonly urls: readonly string[];
  /** @param id unique in this sandbox */
  write(found: readonly FoundPage[], id: string): JsonObject;
}

/** Reads a request. Throws a `Refusal`. */
export type ReadRequest = (request: VendorRequest) => VendorSearch | VendorFetch;

/** A search vendor in the sandbox, at `/search/NAME`. Each has its own folder and is listed in `vendors.ts`. */
export interface SearchVendor {
  readonly name: string;
  /** The vendor's own path for this type of call, below `/search/NAME`: reads the request; null if there is no such path. */
  route(method: string, path: string): ReadRequest | null;
  /** The API key of a request, in the places that this vendor accepts; null if it needs none. */
  readonly credential: ((headers: VendorRequest["headers"], parameters: URLSearchParams) => string | null) | null;
  /** The error for a missing key and for a wrong one. */
  readonly badCredential: (key: string | null) => Failure;
  /** An error in the vendor's form. */
  writeError(failure: Failure): JsonObject;
}
