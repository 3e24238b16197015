import { afterAll, describe, expect, test } from "bun:test";
import {
  chmodSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { deriveSecret, isSecretKey, openSealer } from "./secret-key.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-secrets-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const key = "a key from the environment, long enough";
const place = "somewhere";
let made = 0;
const newFile = () => join(folder, String(++made), "secret.key");

describe("without the variable", () => {
  test("the file is made, for its owner alone, and holds 32 random bytes", () => {
    const file = newFile();
    const { sealer, caution } = openSealer({ key: null, previousKey: null, file });
    expect(caution).toBeNull();
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(Buffer.from(readFileSync(file, "utf8"), "base64")).toHaveLength(32);
    expect(readdirSync(join(file, ".."))).toEqual(["secret.key"]);
    const again = openSealer({ key: null, previousKey: null, file }).sealer;
    expect(again.open(sealer.seal("text", place), place)).toBe("text");
  });

  test("a file that others can read is cautioned of", () => {
    const file = newFile();
    openSealer({ key: null, previousKey: null, file });
    chmodSync(file, 0o644);
    expect(openSealer({ key: null, previousKey: null, file }).caution).toContain("chmod 600");
  });

  test("a file without a key, or a place where none can be made, leaves nothing sealed", () => {
    const file = join(folder, "short.key");
    writeFileSync(file, "short\n");
    const opened = openSealer({ key: null, previousKey: null, file });
    expect(opened.caution).toContain("TOLLGATE_SECRET_KEY");
    expect(() => opened.sealer.seal("text", place)).toThrow("set TOLLGATE_SECRET_KEY");
    expect(readFileSync(file, "utf8")).toBe("short\n");
    const below = openSealer({ key: null, previousKey: null, file: join(file, "below", "secret.key") });
    expect(below.caution).toContain("TOLLGATE_SECRET_KEY");
  });
});

describe("with the variable", () => {
  test("no file is made", () => {
    const file = newFile();
    const { sealer } = openSealer({ key, previousKey: null, file });
    expect(sealer.open(sealer.seal("text", place), place)).toBe("text");
    expect(existsSync(file)).toBe(false);
  });

  test("what was sealed with the file before, or with the previous key, opens and is not current", () => {
    const file = newFile();
    const sealedByFile = openSealer({ key: null, previousKey: null, file }).sealer.seal("text", place);
    const sealedEarlier = openSealer({ key: "an earlier key, also long enough", previousKey: null, file }).sealer.seal(
      "text",
      place,
    );
    const { sealer } = openSealer({ key, previousKey: "an earlier key, also long enough", file });
    for (const sealed of [sealedByFile, sealedEarlier]) {
      expect(sealer.open(sealed, place)).toBe("text");
      expect(sealer.isCurrent(sealed)).toBe(false);
    }
  });
});

test.each([
  ["x".repeat(31), false],
  ["x".repeat(32), true],
  ["x".repeat(4_097), false],
  [`${"x".repeat(40)}\n`, false],
])("of %j characters is a key: %j", (text, expected) => {
  expect(isSecretKey(text)).toBe(expected);
});

test("a derived secret is the same for the same key and use, and another one for any other", () => {
  const file = newFile();
  const ofFile = deriveSecret({ key: null, previousKey: null, file }, "a use");
  expect(ofFile).toMatch(/^[0-9a-f]{64}$/);
  expect(deriveSecret({ key: null, previousKey: null, file }, "a use")).toBe(ofFile);
  expect(deriveSecret({ key: null, previousKey: null, file }, "another use")).not.toBe(ofFile);
  expect(deriveSecret({ key, previousKey: null, file }, "a use")).not.toBe(ofFile);
});
