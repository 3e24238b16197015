import { expect, test } from "bun:test";
import fc from "fast-check";
import { isBase64, standardBase64 } from "./base64-bytes.ts";

const standard = async (text: string) => {
  const given = await standardBase64(Buffer.from(text, "latin1"));
  return given === null ? null : Buffer.from(given).toString("latin1");
};

test("base64 in any form becomes that which all decoders read", async () => {
  const forms = fc.record({
    bytes: fc.uint8Array({ maxLength: 300 }),
    lineLength: fc.integer({ min: 1, max: 80 }),
    lineEnd: fc.constantFrom("", "\n", "\r\n", " "),
    isForAddresses: fc.boolean(),
    isPadded: fc.boolean(),
  });
  await fc.assert(
    fc.asyncProperty(forms, async ({ bytes, lineLength, lineEnd, isForAddresses, isPadded }) => {
      const expected = Buffer.from(bytes).toString("base64");
      const letters = isForAddresses ? expected.replaceAll("+", "-").replaceAll("/", "_") : expected;
      const whole = isPadded ? letters : letters.replaceAll("=", "");
      const lines = (whole.match(new RegExp(`.{1,${lineLength}}`, "g")) ?? []).join(lineEnd);
      expect(await standard(lines)).toBe(expected);
      expect(isBase64(lines)).toBe(true);
    }),
  );
});

test("what is standard already is not copied", async () => {
  const base64 = Buffer.from("iVBORw0KGgo=");
  expect(await standardBase64(base64)).toBe(base64);
});

test.each(["a", "abcde", "ab=c", "=abc", "abcd====", "a!cd", "ab\0d", "abc\u00e9"])("%j is no base64", async (text) =>
  expect(await standard(text)).toBeNull(),
);
