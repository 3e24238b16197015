import { Refusal } from "../../refusal.ts";
import { checkForm, checkNames, namesOf, oneOf } from "../check-parameters.ts";
import { isSlow, requiredUrl, writtenPage } from "../fetch-page.ts";
import type { VendorFetch, VendorRequest } from "../vendor.ts";

/** The reader: one page a call, charged by the length of its text. */
export function readPage({ body, headers }: VendorRequest): VendorFetch {
  if (body === null) throw new Refusal(400, "The body is missing.");
  if (headers["accept"] !== "application/json") throw new Refusal(400, "The sandbox answers in JSON alone.");
  checkNames(namesOf(body), ["url"]);
  const format = oneOf(headers["x-return-format"], "X-Return-Format", ["markdown", "text"], "markdown");
  checkForm(headers["x-timeout"], "X-Timeout", /^([1-9]\d?|1[0-7]\d|180)$/);
  checkForm(headers["x-token-budget"], "X-Token-Budget", /^[1-9]\d{0,8}$/);
  const budget = Number(headers["x-token-budget"] ?? Number.POSITIVE_INFINITY);
  return {
    urls: [requiredUrl(body.url, "url")],
    write([found]) {
      if (!found || isSlow(found)) throw new Refusal(422, "Failed to goto the page: TimeoutError: timed out");
      const { page, url } = found;
      if (page === null) {
        return {
          code: 200,
          status: 20_000,
          data: {
            title: "Not Found",
            url,
            content: "There is no such page.",
            warning: "Target URL returned error 404: Not Found",
            usage: { tokens: 0 },
          },
          meta: { usage: { tokens: 0 } },
        };
      }
      const content = writtenPage(page, format);
      const tokens = Math.ceil(content.length / 4);
      if (tokens > budget)
        throw new Refusal(409, `Token budget (${budget}) exceeded, intended charge amount ${tokens}`);
      const data = { title: page.title, description: "", url, [format === "text" ? "text" : "content"]: content };
      return { code: 200, status: 20_000, data: { ...data, usage: { tokens } }, meta: { usage: { tokens } } };
    },
  };
}
