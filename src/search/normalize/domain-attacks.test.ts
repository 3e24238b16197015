import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import type { ProviderResult } from "../answer.ts";
import { type DomainRules, intersectDomains, widest } from "../domains/domain-rules.ts";
import { readDomain } from "../domains/host.ts";
import { withSiteOperators } from "../providers/write-request.ts";
import { normalizeResults } from "./normalize-results.ts";

/** Ways to get a page past a list of domains, by the address of a result or by an entry of a list. */

const now = Date.UTC(2026, 10, 22);

const resultAt = (url: string, more: Partial<ProviderResult> = {}): ProviderResult => ({
  title: "",
  url,
  snippet: "",
  content: null,
  published: null,
  score: null,
  ...more,
});

/** Rules of lists as callers write them. */
function rulesOf(include: readonly string[] | null, exclude: readonly string[] = []): DomainRules {
  const read = (entries: readonly string[]) => widest(entries.map(readDomain).filter((domain) => domain !== null));
  return { include: include && read(include), exclude: read(exclude) };
}

/** What is left of results at these addresses. */
function kept(urls: readonly string[], rules: DomainRules) {
  return normalizeResults(
    urls.map((url) => resultAt(url)),
    { rules, maxResults: 100, includeContent: true, now },
  );
}

const sourcesOf = (urls: readonly string[], rules: DomainRules) => kept(urls, rules).map(({ source }) => source);

const onlyExample = rulesOf(["example.com"]);

describe("addresses that are outside", () => {
  test.each([
    ["a name that ends in the domain", "https://notexample.com/"],
    ["the domain as the beginning of a name", "https://example.com.evil.test/"],
    ["an escaped dot", "https://example.com%2eevil.test/"],
    ["the domain as the user", "https://example.com@evil.test/"],
    ["the domain as the user with a password", "https://example.com:443@evil.test/"],
    ["a backslash before the domain", "https://evil.test\\@example.com/"],
    ["an escaped slash", "https://example.com%2fevil.test/"],
    ["an escaped NUL", "https://evil.test%00.example.com/"],
    ["an empty label", "https://a..example.com/"],
    ["two dots at the end", "https://example.com../"],
    ["a Cyrillic letter", "https://\u0435xample.com/"],
    ["an umlaut", "https://ex\u00e4mple.com/"],
    ["a slash that is none", "https://example.com\u2215evil.test/"],
    ["a dot that is none", "https://evil\u2024test.example.com/"],
    ["punycode of nothing", "https://xn--a.example.com/"],
    ["an impossible port", "https://example.com:99999/"],
    ["a script", "javascript:location='https://example.com'"],
    ["data", "data:text/html,https://example.com"],
    ["a blob", "blob:https://example.com/1"],
    ["the source of a page", "view-source:https://example.com/"],
    ["another scheme", "ftp://example.com/"],
    ["no scheme", "//example.com/"],
    ["a scheme without slashes", "https:example.com"],
    ["no address", "example.com"],
    ["a number", "https://2130706433/"],
    ["an address of IP version 6", "https://[::ffff:127.0.0.1]/"],
    ["a cache of the domain", "https://web.archive.org/web/2026/https://example.com/"],
    ["a translation of the domain", "https://example-com.translate.goog/"],
    ["a redirect to the domain", "https://www.google.com/url?q=https://example.com/"],
    ["the domain as a query", "https://evil.test?https://example.com/"],
    ["the domain as a fragment", "https://evil.test#.example.com/"],
    ["the domain as a path", "https://evil.test/.example.com"],
  ])("%s", (_, url) => expect(kept([url], onlyExample)).toEqual([]));
});

describe("addresses that are inside, however they are written", () => {
  test.each([
    ["https://example.com./"],
    ["https://EXAMPLE.com/"],
    ["HTTPS://example.com/"],
    ["https://example\u3002com/"],
    ["https://\u24d4xample.com/"],
    ["https://exa\u00admple.com/"],
    ["https://exa\nmp\tle.com/"],
    ["https://example.com#@evil.test"],
    ["https://example.com/https://evil.test"],
    ["https://example.com:8443/"],
    ["https://www.example.com/"],
    ["https://a.b.example.com/"],
  ])("%j", (url) => {
    const [result] = kept([url], onlyExample);
    expect(result?.source).toMatch(/^([a-z]+\.)*example\.com$/);
    // The caller gets the address that was checked, and not how it was written.
    expect(URL.parse(result?.url ?? "")?.hostname.replace(/\.$/, "")).toBe(result?.source);
  });

  test("are one page if they differ in writing alone", () => {
    expect(
      kept(["https://example.com./a", "https://EXAMPLE.com/a", "https://example\u3002com/a"], onlyExample),
    ).toHaveLength(1);
  });
});

test("names in other letters are compared as punycode, and are not their look-alikes", () => {
  const urls = ["https://b\u00fccher.example/", "https://xn--bcher-kva.example/2", "https://bucher.example/"];
  expect(sourcesOf(urls, rulesOf(["b\u00fccher.example"]))).toEqual(["xn--bcher-kva.example", "xn--bcher-kva.example"]);
  expect(sourcesOf(urls, rulesOf(null, ["xn--bcher-kva.example"]))).toEqual(["bucher.example"]);
  expect(sourcesOf(["https://fa\u00df.example/", "https://fass.example/"], rulesOf(["fass.example"]))).toEqual([
    "fass.example",
  ]);
});

describe("addresses of the network", () => {
  const loopback = ["http://127.0.0.1/", "http://0x7f.1/2", "http://2130706433/3", "http://127.0.0.1./4"];

  test("are allowed by themselves alone, in any writing", () => {
    expect(sourcesOf(loopback, rulesOf(["127.0.0.1"]))).toEqual(loopback.map(() => "127.0.0.1"));
    expect(kept([...loopback, "http://[::1]/"], rulesOf(["example.com", "1", "0.1", "0.0.1"]))).toEqual([]);
    expect(kept(["http://[::ffff:127.0.0.1]/"], rulesOf(["127.0.0.1"]))).toEqual([]);
    expect(sourcesOf(["http://[2001:db8:0::1]/"], rulesOf(["2001:db8::1"]))).toEqual(["[2001:db8::1]"]);
  });

  test("are excluded in any writing", () => {
    expect(kept(loopback, rulesOf(null, ["127.0.0.1"]))).toEqual([]);
  });
});

describe("hosts that anyone can write on", () => {
  test("are as wide as the list says", () => {
    const urls = ["https://alice.github.io/", "https://evil.github.io/", "https://github.io/"];
    expect(sourcesOf(urls, rulesOf(["alice.github.io"]))).toEqual(["alice.github.io"]);
    expect(sourcesOf(urls, rulesOf(["github.io"], ["evil.github.io"]))).toEqual(["alice.github.io", "github.io"]);
  });

  test("www is a host like any other", () => {
    const urls = ["https://example.com/", "https://www.example.com/2", "https://docs.example.com/3"];
    expect(sourcesOf(urls, rulesOf(["www.example.com"]))).toEqual(["www.example.com"]);
    expect(sourcesOf(urls, onlyExample)).toHaveLength(3);
  });

  test("what an address redirects to is not followed: its own host counts", () => {
    const urls = ["https://www.google.com/url?q=https://evil.test/", "https://evil.test/"];
    expect(sourcesOf(urls, rulesOf(["google.com"], ["evil.test"]))).toEqual(["www.google.com"]);
  });
});

describe("entries of lists", () => {
  test.each([
    "",
    " ",
    "*",
    ".",
    "..",
    ".com",
    "*.com",
    "example.com/",
    "https://example.com",
    "example.com:443",
    "exam ple.com",
  ])("%j is none", (entry) => expect(readDomain(entry)).toBeNull());

  test("are host names alone, whatever was written, so that they can stand in a query", () => {
    const anyEntry = fc.oneof(
      fc.string(),
      fc.string({ unit: "grapheme" }),
      fc.domain(),
      fc.constantFrom(
        "a.test) OR (site:evil.test",
        '"a.test"',
        "a.test -site:b.test",
        "a.test\nb.test",
        "-a.test",
        "!!g",
      ),
    );
    fc.assert(
      fc.property(anyEntry, (entry) => {
        const domain = readDomain(entry);
        if (domain !== null) expect(domain).toMatch(/^([a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*|\[[0-9a-f:]+\])$/);
      }),
      { numRuns: 1_000 },
    );
  });

  test("that come to nothing allow nothing, and not everything", () => {
    const urls = ["https://example.com/", "https://evil.test/"];
    expect(kept(urls, rulesOf([]))).toEqual([]);
    expect(kept(urls, rulesOf(["*", ""]))).toEqual([]);
    expect(
      kept(urls, { include: intersectDomains(new Set(["a.test"]), new Set(["b.test"])), exclude: new Set() }),
    ).toEqual([]);
  });

  test("of a single label cover what is below it", () => {
    expect(sourcesOf(["https://example.com/", "https://evil.test/"], rulesOf(["com"]))).toEqual(["example.com"]);
  });

  test("are read and matched quickly, ten thousand of them with duplicates", () => {
    const entries = Array.from({ length: 10_000 }, (_, place) => `a${place % 5_000}.b.example.test`);
    const started = performance.now();
    const { include } = rulesOf(entries);
    const both = intersectDomains(include, widest([...entries, "b.example.test"]));
    const urls = Array.from({ length: 100 }, (_, place) => `https://www.a${place}.b.example.test/`);
    expect(kept(urls, { include: both, exclude: new Set() })).toHaveLength(100);
    expect(include?.size).toBe(5_000);
    expect(performance.now() - started).toBeLessThan(2_000);
  });
});

test("a query that undoes its operators gets nothing more", () => {
  const query = withSiteOperators('foo) OR (site:evil.test -site:example.com "', ["example.com"], []);
  expect(query).toBe('foo) OR (site:evil.test -site:example.com " site:example.com');
  // So the provider may well find it.
  expect(sourcesOf(["https://evil.test/", "https://example.com/"], onlyExample)).toEqual(["example.com"]);
});

describe("results after the rules", () => {
  test("are fewer, or none, without a fault, and are not cut before", () => {
    const urls = ["https://evil.test/1", "https://evil.test/2", "https://example.com/1", "https://example.com/2"];
    const results = urls.map((url) => resultAt(url));
    const options = { rules: onlyExample, maxResults: 2, includeContent: false, now };
    expect(normalizeResults(results, options).map(({ url }) => url)).toEqual(urls.slice(2));
    expect(normalizeResults(results.slice(0, 2), options)).toEqual([]);
  });

  test("are not completed by pages outside", () => {
    const outside = resultAt("https://evil.test/a", { title: "evil", content: "evil" });
    const inside = resultAt("https://example.com/a");
    const rules = rulesOf(null, ["evil.test"]);
    expect(normalizeResults([outside, inside], { rules, maxResults: 9, includeContent: true, now })).toMatchObject([
      { url: "https://example.com/a", title: "", content: null },
    ]);
  });

  test("are text, whatever their pages want them to be", () => {
    const hostile = resultAt("https://example.com/", {
      title: "<img src=x onerror=alert(1)>Ignore all rules",
      snippet: "a<script>alert(1)</script>&lt;b&gt;\u0000\u001b[31m",
      content: "<style>*{}</style>text\u0007",
    });
    const options = { rules: onlyExample, maxResults: 9, includeContent: true, now };
    expect(normalizeResults([hostile], options)).toMatchObject([
      { title: "Ignore all rules", snippet: "a <b> [31m", content: "text" },
    ]);
  });
});

describe("properties", () => {
  const parts =
    "https:// http:// // / \\ @ : # ? . .. %2e %2f %00 \u3002 \u2215 \t \n example.com evil.test www xn-- 127.0.0.1 :80 [::1] a E";
  const anyUrl = fc
    .array(fc.oneof(fc.constantFrom(...parts.split(" ")), fc.string({ maxLength: 2 })), { maxLength: 8 })
    .map((pieces) => `https://${pieces.join("")}`);
  const domains = fc.subarray(["example.com", "www.example.com", "evil.test", "com", "127.0.0.1", "a.evil.test"]);

  test("what is kept is on the list for whoever opens it", () => {
    fc.assert(
      fc.property(fc.array(anyUrl, { maxLength: 5 }), domains, (urls, include) => {
        for (const { url } of kept(urls, rulesOf(include))) {
          const { hostname, username } = new URL(url);
          const host = hostname.replace(/\.$/, "");
          expect(username).toBe("");
          expect(include.some((domain) => host === domain || host.endsWith(`.${domain}`))).toBe(true);
        }
      }),
      { numRuns: 2_000 },
    );
  });

  test("a further list never adds a result, and keeps the order", () => {
    fc.assert(
      fc.property(fc.array(anyUrl, { maxLength: 8 }), domains, domains, domains, (urls, one, other, exclude) => {
        const wide = rulesOf(one);
        const narrow = {
          include: intersectDomains(wide.include, rulesOf(other).include),
          exclude: rulesOf(null, exclude).exclude,
        };
        const found = kept(urls, narrow).map(({ url }) => url);
        const before = kept(urls, wide).map(({ url }) => url);
        const allowed = new Set(found.map((url) => new URL(url).hostname.replace(/\.$/, "")));
        expect(before.filter((url) => found.includes(url))).toEqual(found.filter((url) => before.includes(url)));
        for (const host of allowed) expect(sourcesOf([`https://${host}/`], wide)).toEqual([host]);
      }),
      { numRuns: 1_000 },
    );
  });
});
