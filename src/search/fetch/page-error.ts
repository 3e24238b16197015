/** Why a page was not fetched. The codes are public, each with what a caller is told. */
const messages = {
  invalid_url: "It is not a plain http:// or https:// address.",
  private_address: "It does not lead to a public host.",
  domain_not_allowed: "This API key may not fetch pages of this domain.",
  not_found: "There is no such page.",
  forbidden: "The page may not be fetched.",
  timeout: "The page was not there in time.",
  too_large: "The page is too large.",
  empty: "The page has no text.",
  rate_limit: "The provider limits its rate.",
  not_returned: "The provider returned nothing for it.",
  failed: "The page could not be fetched.",
} as const;

export type PageErrorCode = keyof typeof messages;

export const pageErrorCodes = Object.keys(messages) as readonly PageErrorCode[];

/** Why a page was not fetched, as its caller is told. Providers' own words are not passed on: they may name what is hidden. */
export interface PageError {
  readonly code: PageErrorCode;
  readonly message: string;
}

export function pageError(code: PageErrorCode): PageError {
  return { code, message: messages[code] };
}

/** What the HTTP status of a page, or of a provider that speaks of one, means for its caller. */
export function errorOfPageStatus(status: number | null): PageErrorCode {
  switch (status) {
    case 404:
    case 410:
      return "not_found";
    case 401:
    case 402:
    case 403:
    case 451:
      return "forbidden";
    case 408:
    case 504:
    case 524:
      return "timeout";
    case 413:
      return "too_large";
    default:
      return "failed";
  }
}

/** What a provider's words about a page mean, if it has no status or code. */
export function errorOfWords(text: string): PageErrorCode {
  if (/time[ds]? ?-?out|too long to/i.test(text)) return "timeout";
  if (/not[ -_]?found|\b404\b|could not (be )?resolve|does(n't| not) exist|ENOTFOUND/i.test(text)) return "not_found";
  if (/forbidden|\b40[13]\b|block|denied|robots|not allowed|not supported|paywall|login/i.test(text))
    return "forbidden";
  return /too (large|big)|budget/i.test(text) ? "too_large" : "failed";
}
