import { expect, test } from "bun:test";
import { decodeUtf8 } from "./decode-utf8.ts";

test.each(["a", "ä", "漢", "🎉"])("decodes large and small texts of %s alike", async (letter) => {
  for (const text of [letter.repeat(10), `x${letter.repeat(5 << 20)}`]) {
    expect((await decodeUtf8(Buffer.from(text))) === text).toBe(true);
  }
});

test("rejects invalid UTF-8 at any position", async () => {
  const large = Buffer.alloc(9 << 20, "a");
  expect(() => decodeUtf8(Buffer.of(0xc3))).toThrow(TypeError);
  for (const at of [0, (4 << 20) - 1, large.length - 1]) {
    const broken = Buffer.from(large);
    broken[at] = 0xc3;
    // oxlint-disable-next-line typescript/await-thenable -- it is a promise for texts of this size
    await expect(decodeUtf8(broken)).rejects.toThrow(TypeError);
  }
});
