import type { RefusalClass } from "../provider.ts";

/** What an error status usually means. A provider that means something else says so in its own adapter. */
export function refusalOfStatus(status: number): RefusalClass {
  switch (status) {
    case 401:
    case 403:
      return "credential";
    case 402:
      return "quota";
    case 408:
    case 504:
      return "timeout";
    case 429:
      return "rate_limit";
    case 400:
    case 413:
    case 414:
    case 422:
      return "request";
    default:
      return "server";
  }
}
