import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import * as fc from "fast-check";
import { openScratch, type Scratch } from "../blobs/scratch.ts";
import { GatewayError } from "../errors.ts";
import type { MultipartForm } from "./form.ts";
import { FormParser, readBoundary } from "./form-parser.ts";
import { formBody } from "./write-form.ts";

let folder: string;
let scratch: Scratch;
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "tollgate-form-"));
  scratch = await openScratch(folder);
});
afterAll(async () => {
  await scratch.close();
  rmSync(folder, { recursive: true });
});

/** The files that are in the scratch folder now. */
const scratchFiles = () =>
  existsSync(folder)
    ? readdirSync(folder).flatMap((name) => readdirSync(join(folder, name)).filter((file) => file !== "lock"))
    : [];

interface Reading {
  readonly form: MultipartForm;
  dispose(): Promise<void>;
}

/** Parses a body that comes in pieces of `pieceSize` bytes. */
async function parse(body: string | Uint8Array, pieceSize = 1 << 20, maxFileBytes = 64 << 20): Promise<Reading> {
  const bytes = typeof body === "string" ? Buffer.from(body) : body;
  const { promise, resolve, reject } = Promise.withResolvers<MultipartForm>();
  const parser = new FormParser("b", { maxFileBytes }, scratch, {
    onForm: resolve,
    onFailure: reject,
    onCongested() {},
  });
  for (let at = 0; at < bytes.length; at += pieceSize) parser.write(Buffer.from(bytes.subarray(at, at + pieceSize)));
  parser.end();
  try {
    return { form: await promise, dispose: () => parser.dispose() };
  } catch (error) {
    await parser.dispose();
    throw error;
  }
}

async function failureOf(
  body: string | Uint8Array,
  maxFileBytes?: number,
): Promise<{ code: string | null; param: string | null; message: string }> {
  try {
    await parse(body, undefined, maxFileBytes);
  } catch (error) {
    if (error instanceof GatewayError) return error;
    throw error;
  }
  throw new Error("It was read.");
}

const part = (header: string, value: string) => `--b\r\n${header}\r\n\r\n${value}\r\n`;
const field = (name: string, value: string) => part(`Content-Disposition: form-data; name="${name}"`, value);
const file = (name: string, filename: string, value: string) =>
  part(`Content-Disposition: form-data; name="${name}"; filename="${filename}"\r\nContent-Type: image/png`, value);
const end = "--b--\r\n";

describe("a form", () => {
  test("has its fields and files, however it is cut", async () => {
    const body = `before\r\n${field("model", "whisper-1")}${file("file", "a.txt", "hello\r\n--c")}${field("tag[]", "Zoë")}${field("tag", "")}${end}after`;
    for (const size of [1, 2, 3, 7, 16, 1000]) {
      const { form } = await parse(body, size);
      expect(form.field("model")).toBe("whisper-1");
      expect(form.fields("tag")).toEqual(["Zoë", ""]);
      expect(form.field("absent")).toBeNull();
      expect([...form.names]).toEqual(["model", "file", "tag"]);
      const sent = form.file("file");
      expect(sent).toMatchObject({ filename: "a.txt", size: 10, contentType: "text/plain", scratchFile: null });
      expect(Buffer.from(await sent.bytes()).toString()).toBe("hello\r\n--c");
      expect(sent.sha256).toBe(new Bun.CryptoHasher("sha256").update("hello\r\n--c").digest("hex"));
    }
  });

  test("comes back as it was written", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(
          fc.record({
            name: fc.stringMatching(/^[a-z_]{1,8}$/),
            value: fc.string({ unit: "binary" }),
            bytes: fc.uint8Array({ minLength: 1 }),
          }),
          { minLength: 1, maxLength: 5 },
        ),
        fc.integer({ min: 1, max: 100 }),
        async (parts, size) => {
          const written = formBody(
            parts.flatMap(({ name, value, bytes }) => [
              { name: `f_${name}`, value },
              {
                name: `b_${name}`,
                filename: `${value} x`,
                contentType: "image/png",
                size: bytes.length,
                stream: async function* () {
                  yield bytes;
                },
              },
            ]),
            "b",
          );
          const sent = Buffer.concat(await Array.fromAsync(written.body.pieces));
          expect(sent.length).toBe(written.body.length ?? -1);
          // Sent again, it is the same.
          expect(Buffer.concat(await Array.fromAsync(written.body.pieces)).equals(sent)).toBe(true);
          const { form } = await parse(sent, size);
          for (const { name } of parts) {
            const same = parts.filter((other) => other.name === name);
            expect(form.fields(`f_${name}`)).toEqual(same.map(({ value }) => value.toWellFormed()));
            const files = await Promise.all(form.files(`b_${name}`).map((each) => each.bytes()));
            expect(files.map((bytes) => Buffer.from(bytes).toString("hex"))).toEqual(
              same.map(({ bytes }) => Buffer.from(bytes).toString("hex")),
            );
          }
        },
      ),
      { numRuns: 100 },
    );
  });

  test("has a large file in a scratch file, which goes with it", async () => {
    const large = "0123456789abcdef".repeat(200_000);
    const reading = await parse(`${file("file", "large.bin", large)}${field("after", "x")}${end}`, 65_536);
    const sent = reading.form.file("file");
    expect(sent.size).toBe(large.length);
    expect(sent.scratchFile).not.toBeNull();
    expect(scratchFiles()).toHaveLength(1);
    for (let round = 0; round < 2; round++) {
      const pieces = await Array.fromAsync(sent.stream());
      expect(Math.max(...pieces.map(({ length }) => length))).toBeLessThanOrEqual(256 << 10);
      expect(Buffer.concat(pieces).toString()).toBe(large);
    }
    expect(reading.form.field("after")).toBe("x");
    await reading.dispose();
    await reading.dispose();
    expect(scratchFiles()).toEqual([]);
  });

  test("keeps no more than one MiB of many files in memory", async () => {
    const each = "x".repeat(300_000);
    const body = Array.from({ length: 20 }, (_, index) => file("files[]", `${index}`, each + String(index))).join("");
    const congestion: boolean[] = [];
    const { promise, resolve, reject } = Promise.withResolvers<MultipartForm>();
    const parser = new FormParser("b", { maxFileBytes: 1 << 20 }, scratch, {
      onForm: resolve,
      onFailure: reject,
      onCongested: (isCongested) => void congestion.push(isCongested),
    });
    const bytes = Buffer.from(body + end);
    for (let at = 0; at < bytes.length; at += 65_536) {
      parser.write(bytes.subarray(at, at + 65_536));
      // As a connection does.
      while (congestion.at(-1) === true) await Bun.sleep(1);
      if (at % (65_536 * 4) === 0) await Bun.sleep(1);
    }
    parser.end();
    const files = (await promise).files("files");
    expect(files.filter(({ scratchFile }) => scratchFile === null).length).toBeLessThanOrEqual(3);
    expect(files.filter(({ scratchFile }) => scratchFile !== null).length).toBeGreaterThanOrEqual(17);
    for (const [index, sent] of files.entries()) {
      expect(Buffer.from(await sent.bytes()).toString() === each + String(index)).toBe(true);
    }
    await parser.dispose();
  });

  test("has the same digest with another boundary, and another one with another content", async () => {
    const { form } = await parse(`${field("a", "1")}${file("f", "n", "x")}${end}`);
    const same = await parse(`preamble\r\n${field("a", "1")}${file("f", "n", "x")}${end}`, 1);
    const other = await parse(`${field("a", "1")}${file("f", "n", "y")}${end}`);
    expect(same.form.digest).toBe(form.digest);
    expect(other.form.digest).not.toBe(form.digest);
  });

  test.each([
    ["../../etc/passwd", "passwd"],
    ["..\\..\\boot.ini", "boot.ini"],
    ["C:\\dir\\na me.txt", "na me.txt"],
    ["a\0b.txt", "ab.txt"],
    ["..", "file"],
    ["", "file"],
    ["\u202egnp.exe", "gnp.exe"],
    ["日本語.pdf", "日本語.pdf"],
    ["quo%22te.txt", 'quo"te.txt'],
    ["x".repeat(5_000), "x".repeat(255)],
  ])("has names of files as text, without a path: %p", async (sent, kept) => {
    const { form } = await parse(`${file("file", sent, "x")}${end}`);
    expect(form.file("file").filename).toBe(kept);
  });

  test("reads a name as RFC 5987 writes it, before the other one", async () => {
    const header = `Content-Disposition: form-data; name=file; filename="x.txt"; filename*=UTF-8''na%C3%AFve%2F.txt`;
    const { form } = await parse(`${part(header, "x")}${end}`);
    expect(form.file("file").filename).toBe(".txt");
  });
});

describe("a form is refused", () => {
  const refusals: Record<string, [body: string, message: RegExp, param?: string]> = {
    "that never ends": [
      `${field("a", "1")}--b\r\nContent-Disposition: form-data; name="file"; filename="x"\r\n\r\nabc`,
      /breaks off/,
    ],
    "without a boundary": ["hello", /breaks off/],
    "that is empty": ["", /breaks off/],
    "without parts": [end, /no parts/],
    "with a part without a name": [`${part("Content-Disposition: form-data", "x")}${end}`, /no name/],
    "with a part with an empty name": [`${field("", "x")}${end}`, /no name/],
    "with a part without a disposition": [`${part("Content-Type: text/plain", "x")}${end}`, /no name/],
    "with a part that is an attachment": [`${part('Content-Disposition: attachment; name="a"', "x")}${end}`, /no name/],
    "with a part without a header": [`--b\r\nfoo\r\n${end}`, /no header/],
    "with NUL in a name": [`${field("a\0b", "x")}${end}`, /control character/],
    "with a long name": [`${field("n".repeat(200), "x")}${end}`, /longer than 128/, "n".repeat(64)],
    "with a field that is not UTF-8": ["FIELD", /not valid UTF-8/, "a"],
    "with a large field": [`${field("a", "x".repeat(300_000))}${end}`, /larger than 262144/, "a"],
    "with many fields that are large together": [
      `${field("a", "x".repeat(260_000)).repeat(5)}${end}`,
      /larger than 1048576/,
      "a",
    ],
    "with 10,000 parts": [`${field("a", "1").repeat(10_000)}${end}`, /more than 64 parts/],
    "with 10,000 parts without a header": [`--b\r\n\r\n`.repeat(10_000) + end, /more than 64 parts|no header|no name/],
  };
  test.each(Object.entries(refusals))("%s", async (_name, [body, message, param]) => {
    const bytes = body === "FIELD" ? Buffer.from(`${field("a", "\xff")}${end}`, "latin1") : body;
    const failure = await failureOf(bytes);
    expect(failure.message).toMatch(message);
    expect(failure.param).toBe(param ?? null);
    expect(["invalid_multipart", "body_too_large"]).toContain(failure.code ?? "");
  });

  test("with a file over the limit, and nothing of it is left", async () => {
    const failure = await failureOf(`${file("file", "x", "y".repeat(3 << 20))}${end}`, 2 << 20);
    expect(failure).toMatchObject({ code: "body_too_large", param: "file" });
    while (scratchFiles().length > 0) await Bun.sleep(1);
  });

  test("with what is asked of it: no file, two, an empty one, a field", async () => {
    const { form } = await parse(
      `${file("two", "a", "1")}${file("two", "b", "2")}${file("empty", "c", "")}${field("field", "d")}${end}`,
    );
    const thrown = (name: string) => {
      try {
        return form.file(name);
      } catch (error) {
        return error;
      }
    };
    expect(thrown("none")).toMatchObject({ code: "missing_parameter", param: "none" });
    expect(thrown("two")).toMatchObject({
      status: 400,
      param: "two",
      message: expect.stringContaining("one, and not 2"),
    });
    expect(thrown("empty")).toMatchObject({ status: 400, param: "empty", message: expect.stringContaining("empty") });
    expect(thrown("field")).toMatchObject({ status: 400, param: "field", message: expect.stringContaining("file") });
    expect(() => form.field("two")).toThrow("expected a text");
  });
});

test.each([
  ["multipart/form-data; boundary=abc", "abc"],
  ['multipart/form-data; charset=utf-8; boundary="a b:c"', "a b:c"],
  ["multipart/form-data; BOUNDARY=abc; x=y", "abc"],
])("the boundary of %p", (type, boundary) => {
  expect(readBoundary(type)).toBe(boundary);
});

test.each(["multipart/form-data", "multipart/form-data; boundary=", `multipart/form-data; boundary=${"x".repeat(71)}`])(
  "%p has no boundary",
  (type) => {
    expect(() => readBoundary(type)).toThrow(
      expect.objectContaining({ code: "invalid_multipart", param: "Content-Type" }),
    );
  },
);
