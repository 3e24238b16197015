import { Refusal } from "../../refusal.ts";
import { checkNames, flag, namesOf, oneOf, wholeNumber } from "../check-parameters.ts";
import { isSlow, requiredUrls, writtenPage } from "../fetch-page.ts";
import type { VendorFetch, VendorRequest } from "../vendor.ts";

const parameters =
  "urls extract_depth format include_images include_favicon include_usage timeout query chunks_per_source";

/** `POST /extract`. Pages that cannot be read are listed apart, and cost nothing. */
export function readExtract({ body }: VendorRequest): VendorFetch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "));
  const urls = requiredUrls(typeof body.urls === "string" ? [body.urls] : body.urls, "urls", 20);
  const depth = oneOf(body.extract_depth, "extract_depth", ["basic", "advanced"], "basic");
  const format = oneOf(body.format, "format", ["markdown", "text"], "markdown");
  wholeNumber(body.timeout, "timeout", { min: 1, max: 60, otherwise: 10 });
  const showsUsage = flag(body.include_usage, "include_usage");
  return {
    urls,
    write(found, id) {
      const results = found.flatMap(({ asked, page }) =>
        page === null
          ? []
          : [{ url: asked, title: page.title, raw_content: writtenPage(page, format), images: [], favicon: null }],
      );
      const credits = Math.ceil(results.length / 5) * (depth === "advanced" ? 2 : 1);
      return {
        results,
        failed_results: found
          .filter(({ page }) => page === null)
          .map((each) => ({
            url: each.asked,
            error: isSlow(each) ? "Timed out" : "Failed to fetch url: 404 Not Found",
          })),
        response_time: 0.01,
        ...(showsUsage && { usage: { credits } }),
        request_id: id,
      };
    },
  };
}
