import { Refusal } from "../../refusal.ts";
import { checkNames, namesOf } from "../check-parameters.ts";
import { isSlow, requiredUrls, writtenPage } from "../fetch-page.ts";
import { publishedAt } from "../page-dates.ts";
import type { VendorFetch, VendorRequest } from "../vendor.ts";

const parameters = "urls ids text highlights summary maxAgeHours livecrawl livecrawlTimeout subpages extras context";

/** `POST /contents`. Each address has a status; pages that cannot be read have no result, and cost nothing. */
export function readContents({ body }: VendorRequest): VendorFetch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "));
  return {
    urls: requiredUrls(body.urls ?? body.ids, "urls", 100),
    write(found, id) {
      const results = found.flatMap(({ asked, url, page }) =>
        page === null
          ? []
          : [
              {
                id: asked,
                url,
                title: page.title,
                publishedDate: publishedAt(page).toISOString(),
                author: null,
                ...(body.text !== undefined && body.text !== false && { text: writtenPage(page) }),
              },
            ],
      );
      const total = results.length / 1_000;
      return {
        requestId: id,
        results,
        statuses: found.map((each) =>
          each.page === null
            ? { id: each.asked, status: "error", error: errorOf(isSlow(each)) }
            : { id: each.asked, status: "success", source: "cached" },
        ),
        costDollars: { total, contents: { text: total } },
      };
    },
  };
}

function errorOf(slow: boolean) {
  return slow ? { tag: "CRAWL_TIMEOUT", httpStatusCode: 408 } : { tag: "CRAWL_NOT_FOUND", httpStatusCode: 404 };
}
