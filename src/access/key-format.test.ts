import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { generateKey, hashKey, keyIdOf, parseKey } from "./key-format.ts";

/** The checksum as documented, digit by digit. */
function checksumByDefinition(body: string): string {
  const alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
  let number = BigInt(`0x${hashKey(body)}`);
  let digits = "";
  for (; number > 0n; number /= 62n) digits = alphabet.charAt(Number(number % 62n)) + digits;
  return digits.padStart(43, "0").slice(0, 6);
}

describe("generateKey", () => {
  test("generates keys of the documented shape", () => {
    const { id, key } = generateKey();
    expect(key).toMatch(/^sk-tg-[0-9A-Za-z]{10}-[0-9A-Za-z]{46}$/);
    expect(key.slice(6, 16)).toBe(id);
    expect(parseKey(key)).toEqual({ id });
    expect(keyIdOf(key)).toBe(id);
  });

  test("keeps a given id and changes the secret", () => {
    const first = generateKey();
    const second = generateKey(first.id);
    expect(second.id).toBe(first.id);
    expect(second.key).not.toBe(first.key);
  });

  test("uses all digits about equally often", () => {
    const rounds = 4_000;
    const counts = new Map<string, number>();
    for (let round = 0; round < rounds; round++) {
      for (const digit of generateKey().key.slice(17, 57)) counts.set(digit, (counts.get(digit) ?? 0) + 1);
    }
    expect(counts.size).toBe(62);
    const expected = (rounds * 40) / 62;
    // Six standard deviations fail once in 10 million runs; a modulo bias of 21% is more than ten.
    for (const count of counts.values()) expect(Math.abs(count - expected)).toBeLessThan(6 * Math.sqrt(expected));
  });
});

describe("the checksum", () => {
  test("is the first six base62 digits of the SHA-256, for any key", () => {
    for (let round = 0; round < 200; round++) {
      const { key } = generateKey();
      expect(key.slice(-6)).toBe(checksumByDefinition(key.slice(0, -6)));
    }
  });

  test("matches a worked example", () => {
    const body = `sk-tg-abcdefghij-${"a".repeat(40)}`;
    expect(parseKey(`${body}Npt8Fv`)).toEqual({ id: "abcdefghij" });
    expect(parseKey(`${body}Npt8Fw`)).toBeNull();
  });

  test("detects any single changed character", () => {
    const { key } = generateKey("0123456789");
    const changed = fc.tuple(fc.integer({ min: 17, max: key.length - 1 }), fc.constantFrom("a", "Z", "5"));
    fc.assert(
      fc.property(changed, ([at, digit]) => {
        const other = key.slice(0, at) + digit + key.slice(at + 1);
        expect(parseKey(other) !== null).toBe(other === key);
      }),
    );
  });
});

describe("parseKey", () => {
  const { key } = generateKey();
  test.each([
    ["nothing", ""],
    ["another vendor's key", "sk-proj-abcdefghijklmnopqrstuvwxyz"],
    ["a cut key", key.slice(0, -1)],
    ["a longer key", `${key}a`],
    ["a space before", ` ${key}`],
    ["a line break after", `${key}\n`],
    ["a character outside the alphabet", key.replace(/.$/, "_")],
    ["upper-case prefix", key.replace("sk-tg-", "SK-TG-")],
  ])("refuses %s", (_, text) => {
    expect(parseKey(text)).toBeNull();
    expect(keyIdOf(text)).toBeNull();
  });

  test("does not throw for any text", () => {
    fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => parseKey(text) === null));
  });
});
