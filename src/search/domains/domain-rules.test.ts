import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { allowsHost, covers, intersectDomains, widest } from "./domain-rules.ts";

const set = (...domains: string[]) => new Set(domains);

describe("covers", () => {
  test.each([
    ["example.com", "example.com", true],
    ["example.com", "www.example.com", true],
    ["example.com", "a.b.example.com", true],
    ["example.com", "notexample.com", false],
    ["example.com", "example.com.evil.test", false],
    ["www.example.com", "example.com", false],
    ["com", "example.com", true],
    ["192.0.2.1", "192.0.2.1", true],
    ["2.1", "192.0.2.1", false],
  ])("%s and %s: %p", (domain, host, expected) => {
    expect(covers(set(domain), host)).toBe(expected);
  });
});

test("what is excluded is excluded, whatever includes it", () => {
  const rules = { include: set("example.com"), exclude: set("private.example.com") };
  expect(allowsHost(rules, "docs.example.com")).toBe(true);
  expect(allowsHost(rules, "a.private.example.com")).toBe(false);
});

describe("intersectDomains", () => {
  test("narrows and never widens", () => {
    expect(intersectDomains(set("example.com"), set("docs.example.com"))).toEqual(set("docs.example.com"));
    expect(intersectDomains(set("docs.example.com"), set("example.com"))).toEqual(set("docs.example.com"));
    expect(intersectDomains(set("example.com"), set("other.test"))).toEqual(new Set());
    expect(intersectDomains(null, set("example.com"))).toEqual(set("example.com"));
    expect(intersectDomains(set("example.com"), null)).toEqual(set("example.com"));
    expect(intersectDomains(null, null)).toBeNull();
  });

  test("allows exactly what both allow", () => {
    const label = fc.constantFrom("a", "b", "c");
    const host = fc.array(label, { minLength: 1, maxLength: 3 }).map((labels) => labels.join("."));
    const domains = fc.array(host, { minLength: 1, maxLength: 4 }).map((list) => new Set(list));
    fc.assert(
      fc.property(domains, domains, host, (one, other, asked) => {
        const both = intersectDomains(one, other) ?? new Set();
        expect(covers(both, asked)).toBe(covers(one, asked) && covers(other, asked));
      }),
    );
  });
});

test("widest drops what another domain covers", () => {
  expect(widest(["a.b.c", "b.c", "x.c", "b.c"])).toEqual(set("b.c", "x.c"));
});
