import { isObject } from "../../json.ts";
import { Refusal } from "../../refusal.ts";
import { checkNames, flag, namesOf } from "../check-parameters.ts";
import { isSlow, requiredUrls, writtenPage } from "../fetch-page.ts";
import { publishedAt } from "../page-dates.ts";
import type { VendorFetch, VendorRequest } from "../vendor.ts";

const parameters = "urls objective search_queries max_chars_total session_id client_model advanced_settings";
const settingNames = "full_content excerpt_settings fetch_policy";

/** `POST /v1/extract`. Excerpts, and whole pages if they are asked for. */
export function readExtract({ body }: VendorRequest): VendorFetch {
  if (body === null) throw new Refusal(422, "The body is missing.");
  checkNames(namesOf(body), parameters.split(" "), 422);
  const settings = body.advanced_settings ?? {};
  if (!isObject(settings))
    throw new Refusal(422, "advanced_settings must be an object", { param: "advanced_settings" });
  checkNames(namesOf(settings), settingNames.split(" "), 422);
  const isWhole = flag(settings.full_content, "full_content", 422);
  return {
    urls: requiredUrls(body.urls, "urls", 20, 422),
    write(found, id) {
      const results = found.flatMap(({ asked, page }) =>
        page === null
          ? []
          : [
              {
                url: asked,
                title: page.title,
                publish_date: publishedAt(page).toISOString().slice(0, 10),
                excerpts: page.text.split(/(?<=\.) /),
                full_content: isWhole ? writtenPage(page) : null,
              },
            ],
      );
      return {
        extract_id: `extract_${id}`,
        session_id: `session_${id}`,
        results,
        errors: found
          .filter(({ page }) => page === null)
          .map((each) => ({
            url: each.asked,
            error_type: isSlow(each) ? "fetch_timeout" : "fetch_error",
            http_status_code: isSlow(each) ? null : 404,
            content: null,
          })),
        warnings: null,
        usage: [{ name: isWhole ? "sku_extract_full_content" : "sku_extract_excerpts", count: results.length }],
      };
    },
  };
}
