import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { createSealer, noSealer, SealError } from "./seal.ts";

const first = "the first key of these tests, long enough";
const second = "the second key of these tests, long enough";
const place = "search-backend/main/api_keys";

describe("a sealed text", () => {
  test("opens with its key at its place, whatever it is", () => {
    fc.assert(
      fc.property(fc.string({ unit: "binary" }), fc.string(), (text, at) => {
        const wellFormed = text.toWellFormed();
        expect(createSealer([first]).open(createSealer([first]).seal(wellFormed, at), at)).toBe(wellFormed);
      }),
    );
  });

  test("shows neither the text nor the key, and differs each time", () => {
    const sealed = createSealer([first]).seal("a very secret text", place);
    expect(sealed).toMatch(/^v1\.[0-9a-f]{12}\.[\w-]+$/);
    expect(sealed).not.toContain(Buffer.from("secret").toString("base64url").slice(0, 6));
    expect(createSealer([first]).seal("a very secret text", place)).not.toBe(sealed);
  });

  test("does not open at another place", () => {
    const sealer = createSealer([first]);
    const sealed = sealer.seal("secret", place);
    expect(() => sealer.open(sealed, "search-backend/other/api_keys")).toThrow("has been altered, or copied");
    expect(() => sealer.open(sealed, "search-backend/main/headers")).toThrow(SealError);
  });

  test("does not open with another key, which is named", () => {
    const sealed = createSealer([first]).seal("secret", place);
    expect(() => createSealer([second]).open(sealed, place)).toThrow("set TOLLGATE_SECRET_KEY to the key");
  });

  test("opens with an earlier key, and is then not current", () => {
    const sealed = createSealer([first]).seal("secret", place);
    const rotated = createSealer([second, first]);
    expect(rotated.open(sealed, place)).toBe("secret");
    expect(rotated.isCurrent(sealed)).toBe(false);
    expect(rotated.isCurrent(rotated.seal("secret", place))).toBe(true);
  });

  test("that any byte was changed of does not open", () => {
    const sealer = createSealer([first]);
    const sealed = sealer.seal("secret", place);
    const [version, key, encoded = ""] = sealed.split(".");
    const bytes = Buffer.from(encoded, "base64url");
    for (let at = 0; at < bytes.length; at++) {
      const changed = Buffer.from(bytes);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => sealer.open(`${version}.${key}.${changed.toString("base64url")}`, place)).toThrow(SealError);
    }
  });

  test.each(["", "v1", "v1..", "v2.a.b", "secret", "v1.0.AAAA"])("'%s' is none", (text) => {
    expect(() => createSealer([first]).open(text, place)).toThrow(SealError);
  });
});

test("without a key nothing is sealed or opened", () => {
  expect(() => noSealer("no key").seal("a", place)).toThrow("no key");
  expect(() => noSealer("no key").open("a", place)).toThrow(SealError);
});
