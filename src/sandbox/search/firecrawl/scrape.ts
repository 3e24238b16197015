import { Refusal } from "../../refusal.ts";
import { publishedAt } from "../page-dates.ts";
import { checkNames, flag, namesOf, oneOf, wholeNumber } from "../check-parameters.ts";
import { isSlow, requiredUrl, writtenPage } from "../fetch-page.ts";
import type { VendorFetch, VendorRequest } from "../vendor.ts";

const parameters =
  "url formats onlyMainContent includeTags excludeTags maxAge headers waitFor mobile timeout parsers location proxy blockAds";

/** `POST /v2/scrape`: one page a call. A page with an error status is scraped like others. */
export function readScrape({ body }: VendorRequest): VendorFetch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "));
  const formats: unknown = body.formats ?? ["markdown"];
  if (!Array.isArray(formats) || !formats.every((format) => ["markdown", "html", "links"].includes(format))) {
    throw new Refusal(400, "formats must be a list of known formats", { param: "formats" });
  }
  flag(body.onlyMainContent, "onlyMainContent");
  oneOf(body.proxy, "proxy", ["basic", "stealth", "enhanced", "auto"], "auto");
  wholeNumber(body.timeout, "timeout", { min: 1_000, max: 300_000, otherwise: 30_000 });
  return {
    urls: [requiredUrl(body.url, "url")],
    write([found], id) {
      if (!found || isSlow(found)) {
        throw new Refusal(408, "The scrape timed out.", { code: "SCRAPE_TIMEOUT" });
      }
      const { asked, url, page } = found;
      const metadata = {
        title: page?.title ?? "Not Found",
        url,
        sourceURL: asked,
        statusCode: page === null ? 404 : 200,
        scrapeId: id,
        creditsUsed: 1,
        ...(page && { publishedTime: publishedAt(page).toISOString() }),
      };
      return { success: true, data: { markdown: page === null ? "Not Found" : writtenPage(page), metadata } };
    },
  };
}
