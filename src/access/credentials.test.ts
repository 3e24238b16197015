import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { readCredential, stripKeyParameter } from "./credentials.ts";

const all = { authorization: "Bearer from-bearer", "x-api-key": "from-x", "x-goog-api-key": "from-goog" };
const url = "https://gateway.example/v1/models?key=from-query";

function read(
  headers: Record<string, string>,
  at = "/v1/models",
  preferred: Parameters<typeof readCredential>[2] = null,
) {
  return readCredential(new Headers(headers), at, preferred);
}

describe("readCredential", () => {
  test("finds the key in all places", () => {
    expect(read({ authorization: "Bearer abc" })).toBe("abc");
    expect(read({ "x-api-key": "abc" })).toBe("abc");
    expect(read({ "x-goog-api-key": "abc" })).toBe("abc");
    expect(read({}, "/v1beta/models?alt=sse&key=abc")).toBe("abc");
    expect(read({}, "https://host/v1beta/models?key=a%2Bc#part")).toBe("a+c");
    expect(read({})).toBeNull();
  });

  test.each(["bearer abc", "BEARER abc", "Bearer   abc  ", "  Bearer abc", "Bearer\tabc"])(
    "takes %j",
    (authorization) => {
      expect(read({ authorization })).toBe("abc");
    },
  );

  test.each(["sk-tg-abc", "abc", " abc ", "Bearerabc"])("takes %j, whose scheme was forgotten", (authorization) => {
    expect(read({ authorization })).toBe(authorization.trim());
  });

  test("an Authorization without a scheme comes last, unless it holds a key of Tollgate's own", () => {
    expect(read({ ...all, authorization: "sk-tg-abc" }, url)).toBe("sk-tg-abc");
    expect(read({ ...all, authorization: "abc" }, url)).toBe("from-x");
    expect(read({ authorization: "abc" }, url)).toBe("from-query");
  });

  test.each(["Basic abc", "Bearer", "basic", "Bearer  ", ""])("finds no key in %j", (authorization) => {
    expect(read({ authorization })).toBeNull();
  });

  test("trims whitespace", () => {
    expect(read({ "x-api-key": "  abc " })).toBe("abc");
    expect(read({ "x-api-key": "   " })).toBeNull();
    expect(read({}, "/v1/models?key=%20abc+")).toBe("abc");
  });

  test("prefers the vendor header of the path, then Authorization, then the others", () => {
    expect(read(all, url, "x-api-key")).toBe("from-x");
    expect(read(all, url, "x-goog-api-key")).toBe("from-goog");
    expect(read(all, url)).toBe("from-bearer");
    expect(read({ authorization: all.authorization }, url, "x-api-key")).toBe("from-bearer");
    expect(read({ "x-api-key": "from-x", "x-goog-api-key": "from-goog" }, url)).toBe("from-x");
    expect(read({ "x-goog-api-key": "from-goog" }, url, "x-api-key")).toBe("from-goog");
    expect(read({}, url, "x-goog-api-key")).toBe("from-query");
  });

  test("takes the id of a key for no key: lists of usage have a filter of this name", () => {
    expect(read({}, "/api/admin/usage/requests?key=0123456789")).toBeNull();
    expect(read({}, "/api/admin/usage/requests?key=0123456789&key=abc")).toBe("abc");
    expect(read({}, "/api/admin/usage/requests?key=01234567890")).toBe("01234567890");
  });

  test("ignores an empty key and a malformed escape", () => {
    expect(read({}, "/v1/models?key=&key=abc")).toBe("abc");
    expect(read({}, "/v1/models?key")).toBeNull();
    expect(read({}, "/v1/models?key=%zz")).toBe("%zz");
    expect(read({}, "/v1/models?monkey=abc")).toBeNull();
  });
});

describe("stripKeyParameter", () => {
  test.each([
    ["/a", "/a"],
    ["/a?", "/a?"],
    ["/a?b=1", "/a?b=1"],
    ["/a?key=s", "/a"],
    ["/a?key=s&b=%20+1", "/a?b=%20+1"],
    ["/a?b=1&key=s&c", "/a?b=1&c"],
    ["/a?key=s&key=t#f", "/a#f"],
    ["/a?%6bey=s&monkey=1", "/a?monkey=1"],
    ["https://h/a?key=s", "https://h/a"],
  ])("makes of %j %j", (before, after) => {
    expect(stripKeyParameter(before)).toBe(after);
  });

  test("removes every key that readCredential would find, and nothing else", () => {
    const parameter = fc.tuple(fc.constantFrom("key", "k%65y", "a", "monkey", ""), fc.webQueryParameters());
    fc.assert(
      fc.property(fc.array(parameter), (parameters) => {
        const stripped = stripKeyParameter(`/path?${parameters.map(([name, value]) => `${name}=${value}`).join("&")}`);
        expect(readCredential(new Headers(), stripped, null)).toBeNull();
        expect(stripKeyParameter(stripped)).toBe(stripped);
      }),
      { numRuns: 50 },
    );
  });
});
