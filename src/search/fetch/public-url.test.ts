import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { checkUrl } from "./public-url.ts";

const refusalOf = (text: string, domains: readonly string[] | null = null) =>
  checkUrl(text, domains && new Set(domains)).refusal;

describe("private addresses", () => {
  test.each([
    ["this machine", "http://localhost/"],
    ["with a port", "http://localhost:8080/x"],
    ["in capitals", "http://LOCALHOST/"],
    ["with a dot at the end", "http://localhost./"],
    ["below it", "http://app.localhost/"],
    ["full-width letters", "http://ｌｏｃａｌｈｏｓｔ/"],
    ["multicast DNS", "http://printer.local/"],
    ["internal names", "http://metadata.google.internal/computeMetadata/v1/"],
    ["a private network's names", "https://wiki.corp/"],
    ["a home network's names", "https://nas.home.arpa/"],
    ["a single label", "http://intranet/"],
    ["a single label with a dot", "http://intranet./"],
    ["a name for tests", "https://example.test/"],
    ["loopback", "http://127.0.0.1/"],
    ["loopback, elsewhere", "https://127.8.9.1:444/"],
    ["loopback with a dot", "http://127.0.0.1./"],
    ["short", "http://127.1/"],
    ["decimal", "http://2130706433/"],
    ["octal", "http://0177.0.0.1/"],
    ["hexadecimal", "http://0x7f.0x0.0x0.0x1/"],
    ["hexadecimal, whole", "http://0x7f000001/"],
    ["full-width digits", "http://１２７.０.０.１/"],
    ["encircled digits", "http://①②⑦.⓪.⓪.①/"],
    ["full-width dots", "http://127。0。0。1/"],
    ["escaped", "http://%31%32%37.0.0.1/"],
    ["this network", "http://0.0.0.0/"],
    ["this network, short", "http://0/"],
    ["private", "http://10.1.2.3/"],
    ["private", "http://172.16.0.1/"],
    ["private, the last", "http://172.31.255.255/"],
    ["private", "http://192.168.1.1/"],
    ["metadata", "http://169.254.169.254/latest/meta-data/"],
    ["a carrier's NAT", "http://100.64.0.1/"],
    ["multicast", "http://224.0.0.251/"],
    ["broadcast", "http://255.255.255.255/"],
    ["version 6", "http://[::1]/"],
    ["version 6, long", "http://[0:0:0:0:0:0:0:1]/"],
    ["any", "http://[::]/"],
    ["unique local", "http://[fc00::1]/"],
    ["unique local", "http://[fd00:ec2::254]/"],
    ["link-local", "http://[fe80::1]/"],
    ["mapped", "http://[::ffff:127.0.0.1]/"],
    ["mapped, in hexadecimal", "http://[::ffff:7f00:1]/"],
    ["compatible", "http://[::127.0.0.1]/"],
    ["6to4", "http://[2002:7f00:1::]/"],
    ["NAT64", "http://[64:ff9b::7f00:1]/"],
    ["NAT64, local", "http://[64:ff9b:1::a00:1]/"],
    ["multicast", "http://[ff02::1]/"],
  ])("%s: %s", (_, url) => {
    expect(refusalOf(url)).toBe("private_address");
    // A key's list does not open what is private.
    expect(refusalOf(url, ["localhost", "127.0.0.1", "internal", "[::1]"])).toBe("private_address");
  });
});

describe("what is no address of a page", () => {
  test.each([
    "",
    "example.com",
    "//example.com/",
    "/etc/passwd",
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://example.com/",
    "data:text/html,x",
    "javascript:alert(1)",
    "view-source:https://example.com/",
    "blob:https://example.com/1",
    "https:example.com",
    "https://user@example.com/",
    "https://user:password@example.com/",
    "https://example.com@127.0.0.1/",
    "https://a..example.com/",
    "https://example.com:99999/",
    "https://exa mple.com/",
    "https://[::1/",
    "https://[fe80::1%25eth0]/",
    "https://",
  ])("%j", (url) => {
    expect(refusalOf(url)).toBe("invalid_url");
  });
});

describe("public addresses", () => {
  test.each([
    ["https://example.com", "https://example.com/"],
    ["HTTP://Example.COM:8080/a?b=c#d", "http://example.com:8080/a?b=c#d"],
    ["https://bücher.example/", "https://xn--bcher-kva.example/"],
    ["https://8.8.8.8/", "https://8.8.8.8/"],
    ["https://[2606:4700::1111]/", "https://[2606:4700::1111]/"],
    ["https://local.example.com/", "https://local.example.com/"],
    ["https://127.0.0.1.example.com/", "https://127.0.0.1.example.com/"],
  ])("%s", (text, url) => {
    expect(checkUrl(text, null)).toEqual({ url, refusal: null });
  });

  test("are within the key's domains", () => {
    expect(refusalOf("https://docs.example.com/", ["example.com"])).toBeNull();
    expect(refusalOf("https://notexample.com/", ["example.com"])).toBe("domain_not_allowed");
    expect(refusalOf("https://8.8.8.8/", ["example.com"])).toBe("domain_not_allowed");
    expect(refusalOf("https://8.8.8.8/", ["8.8.8.8"])).toBeNull();
  });
});

test("no IPv4 address of a private network passes in any spelling", () => {
  const part = fc.integer({ min: 0, max: 255 });
  const privateIpv4 = fc.oneof(
    fc.tuple(fc.constant(10), part, part, part),
    fc.tuple(fc.constant(127), part, part, part),
    fc.tuple(fc.constant(172), fc.integer({ min: 16, max: 31 }), part, part),
    fc.tuple(fc.constant(192), fc.constant(168), part, part),
  );
  fc.assert(
    fc.property(privateIpv4, fc.nat(), ([a, b, c, d], seed) => {
      const number = ((a * 256 + b) * 256 + c) * 256 + d;
      const spelled = (value: number, way: number) =>
        way % 3 === 0 ? String(value) : way % 3 === 1 ? `0x${value.toString(16)}` : `0${value.toString(8)}`;
      const parts = [a, b, c, d].map((value, index) => spelled(value, (seed >> index) % 3));
      for (const host of [parts.join("."), spelled(number, seed), `[::ffff:${a}.${b}.${c}.${d}]`]) {
        expect(refusalOf(`http://${host}/`)).toBe("private_address");
      }
    }),
  );
});

test("any text is judged, and what passes is an http address without user", () => {
  fc.assert(
    fc.property(
      fc.oneof(
        fc.webUrl(),
        fc.string(),
        fc.string().map((text) => `http://${text}`),
      ),
      (text) => {
        const { url } = checkUrl(text, null);
        if (url === null) return;
        const { protocol, username, hostname } = new URL(url);
        expect(["http:", "https:"]).toContain(protocol);
        expect(username).toBe("");
        expect(hostname.includes(".") || hostname.startsWith("[")).toBe(true);
      },
    ),
  );
});
