import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { canonicalUrl, hostOf, readAddress, readDomain } from "./host.ts";

describe("hostOf", () => {
  test.each([
    ["https://Example.COM/a?b#c", "example.com"],
    ["https://example.com./", "example.com"],
    ["https://example.com%2eevil.test/", "example.com.evil.test"],
    ["https://evil.test\\@example.com/", "evil.test"],
    ["https://example.com#@evil.test", "example.com"],
    ["https://example。com/", "example.com"],
    ["https://ⓔxample.com/", "example.com"],
    ["https://exa\u00admple.com/", "example.com"],
    ["https://exa\nmple.com/", "example.com"],
    ["https://\u0435xample.com/", "xn--xample-2of.com"],
    ["https://faß.de/", "xn--fa-hia.de"],
    ["https://example.com\u2215evil.test/", "example.xn--comevil-ef0d.test"],
    ["https://0x7f.1/", "127.0.0.1"],
    ["https://2130706433/", "127.0.0.1"],
    ["https://[::ffff:127.0.0.1]/", "[::ffff:7f00:1]"],
    ["https://example.com:8443/", "example.com"],
  ])("%j is of %s", (url, host) => expect(hostOf(url)).toBe(host));

  test.each([
    "https://example.com@evil.test/",
    "https://user:pass@example.com/",
    "https://a..example.com/",
    "https://exa%2fmple.com/",
    "https://x%00.com/",
    "https://xn--a.com/",
    "https://e.com:99999/",
    "javascript:alert(1)//https://example.com",
    "data:text/html,https://example.com",
    "blob:https://example.com/x",
    "view-source:https://example.com",
    "//example.com/",
    "https:example.com",
    "example.com",
    "",
  ])("%j is no address", (url) => expect(hostOf(url)).toBeNull());

  test("is total", () => {
    fc.assert(fc.property(fc.oneof(fc.string(), fc.webUrl()), (text) => void readAddress(text)));
  });
});

test("a plain address is read as the URL that it is", () => {
  const part = fc.constantFrom(
    ...Array.from("ab0-_./?%&=+~!$*(),;:@'|^#\\ \"<é"),
    "..",
    "xn--",
    "//",
    "%2e",
    "com",
    "example.com/",
  );
  const address = fc
    .array(part, { maxLength: 10 })
    .map((parts) => `https://www.${parts.join("")}`)
    .filter((text) => URL.canParse(text));
  fc.assert(
    fc.property(fc.oneof(address, fc.webUrl({ withQueryParameters: true })), (text) => {
      const url = new URL(text);
      const read = readAddress(text);
      if (read !== null) expect(read).toEqual({ url: url.href, host: url.hostname.replace(/\.$/, "") });
      else expect(url.username !== "" || url.password !== "" || /\.\.|^\.|[^\w.-]/.test(url.hostname)).toBe(true);
    }),
    { numRuns: 5_000 },
  );
});

describe("readDomain", () => {
  test.each([
    ["example.com", "example.com"],
    ["Example.COM.", "example.com"],
    ["bücher.example", "xn--bcher-kva.example"],
    ["com", "com"],
    ["192.0.2.1", "192.0.2.1"],
    ["[2001:db8::1]", "[2001:db8::1]"],
    ["2001:db8:0::1", "[2001:db8::1]"],
    ["_dmarc.example.com", "_dmarc.example.com"],
  ])("%j is %s", (entry, domain) => expect(readDomain(entry)).toBe(domain));

  test.each([
    "https://example.com",
    "example.com/path",
    "example.com:443",
    "user@example.com",
    "*.example.com",
    "*",
    "exam ple.com",
    " example.com",
    "",
    ".",
    ".com",
    "a..b",
    "127.1",
    "0x7f.0.0.1",
    "foo) OR (site:evil.test",
    "-site:example.com OR",
    '"example.com"',
    "a".repeat(64) + ".com",
    "a.".repeat(130) + "com",
    "example.com%2eevil.test",
    "example.com\n",
  ])("%j is none", (entry) => expect(readDomain(entry)).toBeNull());

  test("reads its own output as itself", () => {
    fc.assert(
      fc.property(fc.domain(), (domain) => {
        const read = readDomain(domain);
        if (read !== null) expect(readDomain(read)).toBe(read);
      }),
    );
  });
});

test("canonicalUrl is the same for two addresses of one page", () => {
  const canonical = (url: string) => {
    const address = readAddress(url);
    return address && canonicalUrl(address);
  };
  expect(canonical("http://Example.com/a/?utm_source=x&q=1#part")).toBe(canonical("https://example.com/a?q=1"));
  expect(canonical("https://example.com")).toBe(canonical("https://example.com/"));
  expect(canonical("https://example.com/a")).not.toBe(canonical("https://example.com/b"));
  expect(canonical("https://example.com/?q=1")).not.toBe(canonical("https://example.com/?q=2"));
});
