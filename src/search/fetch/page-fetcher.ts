import type { JsonObject } from "../../json/values.ts";
import type { FetchUnits } from "../../metering/expected-usage.ts";
import type { ProviderCall, ProviderRefusal } from "../provider-call.ts";
import type { PageErrorCode } from "./page-error.ts";

/** The forms in which a page can be asked for. */
export const fetchFormats = ["markdown", "text"] as const;
export type FetchFormat = (typeof fetchFormats)[number];

/** The pages of one call as a provider is asked for them. */
export interface PageQuery {
  /** Public http and https addresses, each once: 1 to 20, or the only one of the call. */
  readonly urls: readonly string[];
  /** One of the fetcher's formats. */
  readonly format: FetchFormat;
  /** The call is ended after so many milliseconds: a page that takes longer should be given up before. */
  readonly timeoutMs: number;
}

/** One page, as its provider gives it. */
export interface FetchedPage {
  /** The address that was asked for, as the provider repeats it; null: the only one of the call. */
  readonly asked: string | null;
  /** Where the page was in the end, if the provider names that. */
  readonly url: string | null;
  readonly title: string | null;
  readonly content: string | null;
  /** Why there is none; null if there is. */
  readonly error: PageErrorCode | null;
}

/** What a provider has answered to one call. */
export interface FetchAnswer {
  readonly pages: readonly FetchedPage[];
  /** The provider's own id of the request; null if it tells none. */
  readonly requestId: string | null;
  /** Billing units as the provider reports them, which may be a fraction; null if it does not. */
  readonly units: number | null;
  /** What it cost in USD, as the provider reports it; null if it does not. */
  readonly costUsd: number | null;
  /** The provider's usage as it came, for the record; empty if there is none. */
  readonly usage: JsonObject;
}

/** What an error answer means: something about the one page of its call, or a fault of the provider's. */
export type FetchRefusal = { readonly page: PageErrorCode } | ProviderRefusal;

/** How a search provider fetches pages. Its functions are pure and total. */
export interface PageFetcher {
  /** Each page is a call of its own. They are made at once. */
  readonly isOnePerCall: boolean;
  /** The first is what is asked for in place of one that is not here. */
  readonly formats: readonly [FetchFormat, ...FetchFormat[]];
  readonly units: FetchUnits;
  /** The vendor's address for pages, if it is another than that for searches. @param baseUrl the backend's */
  readonly baseUrl?: (baseUrl: string) => string;
  readonly toRequest: (query: PageQuery) => Omit<ProviderCall, "downgrades">;
  /** @throws AnswerFault if it is not what the provider's answers look like, or is a failure under a good status */
  readonly readAnswer: (body: JsonObject) => FetchAnswer;
  /** @param body parsed JSON; null if it is none */
  readonly classifyError: (status: number, body: unknown) => FetchRefusal;
}

/** A page that has been fetched, or text that is none. */
export function fetchedPage(asked: string | null, page: Partial<FetchedPage>): FetchedPage {
  return { asked, url: null, title: null, content: null, error: null, ...page };
}
