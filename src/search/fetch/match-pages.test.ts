import { expect, test } from "bun:test";
import { matchPages } from "./match-pages.ts";
import { fetchedPage } from "./page-fetcher.ts";
import { readFetchRequest } from "./read-request.ts";

const domains = new Set(["example.com"]);
const request = readFetchRequest(
  { urls: ["https://example.com/a?utm_source=x", "http://example.com/b/"] },
  domains,
  [],
);
const codes = (...pages: Parameters<typeof matchPages>[1]) =>
  matchPages(request, pages).map(({ content, error }) => content ?? error?.code);

test("pages are found by other spellings of their address, in the caller's order", () => {
  const b = fetchedPage("https://example.com/b", { content: "b" });
  const a = fetchedPage("https://example.com/a", { content: "a" });
  expect(codes(b, a)).toEqual(["a", "b"]);
});

test("a page that nobody asked for is given to nobody", () => {
  const other = fetchedPage("https://example.com/other", { content: "other" });
  expect(codes(other, fetchedPage(null, { content: "nowhere" }))).toEqual(["not_returned", "not_returned"]);
});

test("a page comes before an error about the same address", () => {
  const error = fetchedPage("https://example.com/a", { error: "failed" });
  const page = fetchedPage("https://example.com/a", { content: "a" });
  expect(codes(error, page)).toEqual(["a", "not_returned"]);
  expect(codes(page, error)).toEqual(["a", "not_returned"]);
});

test("the address where a page was found must be allowed", () => {
  const at = (url: string) => fetchedPage("https://example.com/a", { url, content: "a" });
  expect(codes(at("https://docs.example.com/"))[0]).toBe("a");
  expect(codes(at("https://example.net/"))[0]).toBe("domain_not_allowed");
  expect(codes(at("http://10.0.0.1/"))[0]).toBe("private_address");
  expect(codes(at("file:///etc/passwd"))[0]).toBe("invalid_url");
});

test("content keeps its lines and markup, loses control characters, and may not be blank", () => {
  const page = (content: string) => codes(fetchedPage("https://example.com/a", { content }))[0];
  expect(page("# A\r\n\u0000\u001b<b>x</b> &amp;\n\tcode ")).toBe("# A\n<b>x</b> &amp;\n\tcode");
  expect(page(" \u0000\n ")).toBe("empty");
  expect(page("\ud800")).toBe("\ufffd");
  expect(page("x".repeat(1_000_001))).toHaveLength(1_000_000);
});

test("a title is a line without markup, or null", () => {
  const title = (text: string | null) =>
    matchPages(request, [fetchedPage("https://example.com/a", { title: text, content: "a" })])[0]?.title;
  expect(title("<b>A</b>\n &amp; B")).toBe("A & B");
  expect(title(" ")).toBeNull();
  expect(title(null)).toBeNull();
});
