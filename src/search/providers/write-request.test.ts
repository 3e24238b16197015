import { expect, test } from "bun:test";
import { firstDayOf, withParameters, withSiteOperators } from "./write-request.ts";

test("withParameters leaves out what is absent, and escapes", () => {
  expect(withParameters("/search", { q: "a b&c", count: 5, on: true, list: ["x", "y"], none: null })).toBe(
    "/search?q=a+b%26c&count=5&on=true&list=x%2Cy",
  );
  expect(withParameters("/search", {})).toBe("/search");
});

test("withSiteOperators adds to the query and keeps it", () => {
  expect(withSiteOperators("q", [], [])).toBe("q");
  expect(withSiteOperators("q", ["a.test"], [])).toBe("q site:a.test");
  expect(withSiteOperators("q", ["a.test", "b.test"], ["c.test", "d.test"])).toBe(
    "q (site:a.test OR site:b.test) -site:c.test -site:d.test",
  );
});

test("firstDayOf counts back from the day of the request", () => {
  const now = Date.UTC(2026, 10, 22, 15);
  expect(firstDayOf("day", now)).toBe("2026-11-21");
  expect(firstDayOf("week", now)).toBe("2026-11-15");
  expect(firstDayOf("year", now)).toBe("2025-11-22");
});

test("operators are left out if the query has no room for them", () => {
  const query = "q".repeat(20);
  expect(withSiteOperators(query, ["example.com"], [], 37)).toBe(`${query} site:example.com`);
  expect(withSiteOperators(query, ["example.com"], [], 36)).toBe(query);
});
