import { canonicalUrl, readAddress } from "../domains/host.ts";
import { maxTitle, shortText } from "../normalize/normalize-results.ts";
import { clipped } from "../normalize/plain-text.ts";
import { type PageError, pageError } from "./page-error.ts";
import type { FetchedPage } from "./page-fetcher.ts";
import { checkUrl } from "./public-url.ts";
import type { FetchRequest } from "./request.ts";

/** What a caller is given for one address that it asked for: a page, or an error. */
export interface PageResult {
  /** As the caller wrote it. */
  readonly url: string;
  readonly title: string | null;
  readonly content: string | null;
  readonly error: PageError | null;
}

/**
 * One result for each address, in the caller's order. A page that nobody asked for is given to nobody, and neither is one
 * that its provider says to have found at an address which may not be fetched.
 */
export function matchPages(request: FetchRequest, pages: readonly FetchedPage[]): PageResult[] {
  const byAddress = new Map<string, FetchedPage>();
  for (const page of pages) {
    for (const key of page.asked === null ? [] : keysOf(page.asked)) {
      // A page comes before an error about the same address.
      if (!byAddress.has(key) || (byAddress.get(key)?.error !== null && page.error === null)) byAddress.set(key, page);
    }
  }
  return request.asked.map(({ text, checked: { url, refusal } }) => {
    if (url === null) return { url: text, title: null, content: null, error: pageError(refusal) };
    const page = keysOf(url)
      .map((key) => byAddress.get(key))
      .find((found) => found !== undefined);
    return { url: text, ...resultOf(page, request) };
  });
}

/** An address as it is, and as the same page is found under other spellings. */
function keysOf(url: string): readonly string[] {
  const address = readAddress(url);
  return address === null ? [] : [address.url, `page ${canonicalUrl(address)}`];
}

function resultOf(page: FetchedPage | undefined, { domains }: FetchRequest): Omit<PageResult, "url"> {
  const nothing = { title: null, content: null };
  if (page === undefined) return { ...nothing, error: pageError("not_returned") };
  if (page.error !== null) return { ...nothing, error: pageError(page.error) };
  const refusal = page.url === null ? null : checkUrl(page.url, domains).refusal;
  if (refusal !== null) return { ...nothing, error: pageError(refusal) };
  const content = pageText(page.content ?? "");
  if (content === "") return { ...nothing, error: pageError("empty") };
  const title = shortText(page.title ?? "", maxTitle);
  return { title: title === "" ? null : title, content, error: null };
}

/** Characters of a page; what is longer is cut. */
const maxContent = 1_000_000;

/** Markdown or text as it came, without control characters and of bounded length. */
function pageText(text: string): string {
  return clipped(text, maxContent)
    .replace(/\r\n?/g, "\n")
    .replace(/[^\P{Cc}\n\t]/gu, "")
    .trim()
    .toWellFormed();
}
