import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { measurePixels } from "../../http/measure-pixels.ts";
import { contentOfBytes } from "../../operations/images/image-content.ts";
import { draw } from "../../sandbox/pictures/draw.ts";
import { writePng } from "../../sandbox/pictures/png.ts";
import { AnswerFault } from "../exchange.ts";
import { base64Pieces, decodedLength, encodeBase64 } from "./base64-bytes.ts";
import { checkPictureBase64, checkPictureBytes } from "./check-picture.ts";
import { readCutAnswer } from "./cut-strings.ts";
import { JsonWithContents } from "./json-body.ts";
import { joinedInSteps, JsonWithStrings } from "./write-answer.ts";

const png = (width = 64, height = 64, minBytes = 0) => writePng(draw({ text: "a test", width, height }), minBytes);
const collected = async (pieces: AsyncIterable<Uint8Array>) => Buffer.concat(await Array.fromAsync(pieces));

describe("base64", () => {
  test("is written and read in pieces as it is at once", async () => {
    const sizes = [0, 1, 2, 3, 100, 196_607, 196_608, 196_609, 3_145_727, 3_145_728, 7_000_001];
    for (const size of sizes) {
      const bytes = Buffer.alloc(size, "some bytes");
      const base64 = await encodeBase64(bytes);
      expect(Buffer.from(base64).toString("latin1")).toBe(bytes.toString("base64"));
      expect(decodedLength(base64)).toBe(size);
      expect(await collected(base64Pieces(base64))).toEqual(bytes);
    }
  });
});

describe("an answer that is cut", () => {
  const long = "iVBOR".repeat(40_000);

  test("has the value of the rest, and its long strings where they stand", async () => {
    const value = { created: 1, data: [{ b64_json: long }, { b64_json: "short" }], a: 'quo"te', b: [null, 1.5, "é"] };
    const bytes = Buffer.from(JSON.stringify(value));
    const cut = await readCutAnswer(bytes);
    const read = cut.value as typeof value;
    expect({ ...read, data: null }).toEqual({ ...value, data: null } as never);
    const found = read.data.map(({ b64_json }) => cut.bytesOf(b64_json));
    expect(found.map((each) => Buffer.from(each ?? []).toString())).toEqual([long, "short"]);
    // It is a part of the answer, and no copy.
    expect(found[0]?.buffer).toBe(bytes.buffer);
    expect(cut.bytesOf(1)).toBeNull();
  });

  test("keeps a long string that is escaped", async () => {
    const escaped = `${long}\\/${long}`;
    const cut = await readCutAnswer(Buffer.from(`{"b64_json":"${escaped}"}`));
    const read = cut.value as { readonly b64_json: string };
    expect(Buffer.from(cut.bytesOf(read.b64_json) ?? []).toString()).toBe(`${long}/${long}`);
  });

  test.each(["", "{", `{"a":"${long}`, "nothing", "[".repeat(100_000)])(
    "is no answer if it is no JSON (%#)",
    async (text) => {
      expect(await readCutAnswer(Buffer.from(text)).then(null, (error: unknown) => error)).toBeInstanceOf(AnswerFault);
    },
  );
});

test("JSON with strings in it is that of the value", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.base64String({ maxLength: 200 })), fc.json(), async (strings, other) => {
      const json = new JsonWithStrings();
      const placed = { data: strings.map((text) => ({ b64_json: json.place(Buffer.from(text)) })), other };
      const written = Buffer.from(await joinedInSteps(json.pieces(placed))).toString();
      expect(JSON.parse(written)).toEqual({ data: strings.map((text) => ({ b64_json: text })), other });
    }),
  );
});

test("a body with contents is as long as it says, and can be read again", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(fc.integer({ min: 0, max: 700_000 }), { maxLength: 3 }), async (sizes) => {
      const json = new JsonWithContents();
      const files = sizes.map((size) => png(16, 16, size));
      const contents = files.map((bytes) => contentOfBytes(bytes, "image"));
      const body = json.body({ images: contents.map((content) => `data:x,${json.place(content)}`) }, "");
      const expected = { images: files.map((bytes) => `data:x,${Buffer.from(bytes).toString("base64")}`) };
      for (let time = 0; time < 2; time++) {
        const bytes = await collected(body.pieces);
        expect(bytes.length).toBe(body.length ?? -1);
        expect(JSON.parse(bytes.toString())).toEqual(expected);
      }
    }),
    { numRuns: 10 },
  );
});

describe("a picture", () => {
  test("is looked at in the same way in base64 and in bytes", () => {
    const bytes = png(32, 48, 1_000_000);
    const found = { contentType: "image/png", pixels: { width: 32, height: 48 } };
    expect(checkPictureBytes(bytes, false)).toEqual(found);
    expect(checkPictureBase64(Buffer.from(Buffer.from(bytes).toString("base64")), false)).toEqual(found);
  });

  const jpeg = Buffer.concat([Buffer.from([0xff, 0xd8, 0xff, 0xe0]), Buffer.alloc(400), Buffer.from([0xff, 0xd9])]);
  const webp = Buffer.concat([
    Buffer.from("RIFF"),
    Buffer.from([100, 0, 0, 0]),
    Buffer.from("WEBPVP8 "),
    Buffer.alloc(92),
  ]);
  test.each([
    ["PNG", Buffer.from(png(64, 64, 1_000)), "image/png"],
    ["JPEG", jpeg, "image/jpeg"],
    ["WebP", webp, "image/webp"],
  ] as const)("%s that breaks off is none", (_name, bytes, contentType) => {
    expect(checkPictureBytes(bytes, false).contentType).toBe(contentType);
    for (const length of [bytes.length - 70, Math.floor(bytes.length / 2)]) {
      expect(() => checkPictureBytes(bytes.subarray(0, length), false)).toThrow(AnswerFault);
    }
  });

  test("that is none is a fault, whatever it is", () => {
    const svg = Buffer.from("<svg xmlns='http://www.w3.org/2000/svg'/>");
    for (const bytes of [Buffer.alloc(0), Buffer.from("no"), Buffer.from("<html>"), svg, Buffer.from("%PDF-1.7")]) {
      expect(() => checkPictureBytes(bytes, false)).toThrow(AnswerFault);
    }
    expect(checkPictureBytes(svg, true).contentType).toBe("image/svg+xml");
  });

  test("of any bytes is measured at once, or not", () => {
    const beginnings = [
      "\x89PNG\r\n\x1a\n",
      "\xff\xd8\xff\xe1",
      "GIF89a",
      "RIFF\x10\0\0\0WEBPVP8 ",
      "RIFF\x10\0\0\0WEBPVP8X",
    ];
    fc.assert(
      fc.property(fc.constantFrom(...beginnings), fc.uint8Array({ maxLength: 2_000 }), (beginning, rest) => {
        const bytes = Buffer.concat([Buffer.from(beginning, "latin1"), rest]);
        const started = performance.now();
        measurePixels(bytes);
        expect(performance.now() - started).toBeLessThan(200);
      }),
      { numRuns: 2_000 },
    );
  });
});
