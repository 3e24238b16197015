import { expect, test } from "bun:test";
import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync, zstdCompressSync } from "node:zlib";
import { inflateBody, readCodings } from "./inflate-body.ts";

const body = Buffer.from(JSON.stringify({ text: "Grüße ".repeat(50_000) }));
const compressed: readonly (readonly [string, Buffer])[] = [
  ["gzip", gzipSync(body)],
  ["x-gzip", gzipSync(body)],
  ["deflate", deflateSync(body)],
  ["deflate", deflateRawSync(body)],
  ["br", brotliCompressSync(body)],
  ["zstd", zstdCompressSync(body)],
];
const uncounted = () => {};

test("codings are read in the order in which they were applied", () => {
  expect(readCodings(null)).toEqual([]);
  expect(readCodings("identity")).toEqual([]);
  expect(readCodings("GZIP , identity,br")).toEqual(["gzip", "br"]);
  const refused = expect.objectContaining({ status: 415, code: "unsupported_media_type", param: "Content-Encoding" });
  for (const unknown of ["compress", "gzip, aes128gcm", "gzip;q=1", "gzip,gzip,gzip,gzip,gzip"]) {
    expect(() => readCodings(unknown)).toThrow(refused);
  }
});

test.each(compressed)("%s is taken off, and every step is counted", async (coding, bytes) => {
  let counted = 0;
  const inflated = await inflateBody(bytes, [coding], body.length, (more) => (counted += more));
  expect(Buffer.from(inflated).equals(body)).toBe(true);
  expect(counted).toBe(body.length);
});

test("several codings are taken off from the last to the first", async () => {
  const inflated = await inflateBody(brotliCompressSync(gzipSync(body)), ["gzip", "br"], body.length, uncounted);
  expect(Buffer.from(inflated).equals(body)).toBe(true);
});

test.each(compressed)("%s that is cut or spoiled is a 400", async (coding, bytes) => {
  const refused = expect.objectContaining({ status: 400, code: "invalid_encoding", param: "Content-Encoding" });
  for (const spoiled of [bytes.subarray(0, bytes.length - 9), Buffer.alloc(200, 0xa5), Buffer.alloc(0)]) {
    expect(inflateBody(spoiled, [coding], body.length, uncounted)).rejects.toThrow(refused);
  }
});

test.each(compressed)("%s beyond the limit is a 413 soon after it, however much there is", async (coding, bytes) => {
  let counted = 0;
  const inflating = inflateBody(bytes, [coding], 100_000, (more) => (counted += more));
  expect(inflating).rejects.toMatchObject({ status: 413, code: "body_too_large" });
  await inflating.catch(() => undefined);
  expect(counted).toBeLessThanOrEqual(100_000);
});

test("an error of a step ends it", async () => {
  const full = new Error("full");
  const inflating = inflateBody(gzipSync(body), ["gzip"], body.length, () => {
    throw full;
  });
  expect(await inflating.catch((error: unknown) => error)).toBe(full);
});
