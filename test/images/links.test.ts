import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { createTestClock } from "../clock.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { until } from "../until.testkit.ts";
import { bodyOf, generate, imagesModel, lookAt, modelAt, png, scripted, startImagesGateway } from "./images.testkit.ts";

/** Links to images: the gateway's own, and the providers'. */

const clock = createTestClock();
/** A server of images whose every answer a test chooses. */
let answer: () => object = () => ({});
let fetched = 0;
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method === "POST") return Response.json(answer());
    fetched++;
    return new Response(png(), { headers: { "content-type": "text/plain" } });
  },
});
const elsewhere = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => (fetched++, new Response(png())) });

const options = (hideProvider: boolean) => ({
  clock,
  steady: clock,
  server: { hideProvider },
  providers: (url: string) => [
    { id: "openai", dialects: ["openai-chat"], baseUrl: url },
    { id: "gemini", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, "") },
    { id: "other", dialects: ["openai-chat"], baseUrl: `http://127.0.0.1:${provider.port}/v1` },
  ],
});
const other = imagesModel("other", [], { targets: [{ provider: "other", model: "any" }] });

let gateway: TestGateway;
let hiding: TestGateway;
beforeAll(async () => {
  gateway = await startImagesGateway([other], options(false));
  hiding = await startImagesGateway([other], options(true));
});
afterAll(async () => {
  await gateway.stop();
  await hiding.stop();
  await provider.stop(true);
  await elsewhere.stop(true);
});

/** A link of the gateway's. */
async function newLink(body: object = {}): Promise<string> {
  const { data } = await bodyOf(await generate(gateway, { response_format: "url", ...body }));
  return data[0]?.url ?? "";
}

describe("a link of the gateway", () => {
  test("leads to the image, for an hour, without a key", async () => {
    const url = await newLink();
    expect(url).toMatch(new RegExp(`^${gateway.url}/v1/media/[\\w-]{43}$`));
    const response = await fetch(url);
    expect(lookAt(Buffer.from(await response.arrayBuffer()).toString("base64"))).toBe("png 1024x1024");
    expect(Object.fromEntries(response.headers)).toMatchObject({
      "content-type": "image/png",
      "x-content-type-options": "nosniff",
      "content-security-policy": "sandbox",
      "content-disposition": expect.stringContaining("inline"),
      "accept-ranges": "bytes",
      etag: expect.stringMatching(/^".+"$/),
    });
  });

  test("gives parts of it", async () => {
    const url = await newLink();
    const whole = await (await fetch(url)).bytes();
    const ranged = await fetch(url, { headers: { range: "bytes=8-15" } });
    expect([ranged.status, ranged.headers.get("content-range")]).toEqual([206, `bytes 8-15/${whole.length}`]);
    expect(await ranged.bytes()).toEqual(whole.slice(8, 16));
    const beyond = await fetch(url, { headers: { range: `bytes=${whole.length}-` } });
    expect([beyond.status, beyond.headers.get("content-range")]).toEqual([416, `bytes */${whole.length}`]);
    const stale = await fetch(url, { headers: { range: "bytes=0-1", "if-range": '"another"' } });
    expect(stale.status).toBe(200);
  });

  test("is told by no other name of the same content", async () => {
    const url = await newLink();
    const etag = (await fetch(url)).headers.get("etag")?.replaceAll('"', "") ?? "";
    expect(url).not.toContain(etag.slice(0, 16));
    for (const guess of [etag, etag.slice(0, 43), "A".repeat(43), "..%2f..%2fetc%2fpasswd", "a".repeat(64)]) {
      expect((await fetch(`${gateway.url}/v1/media/${guess}`)).status).toBe(404);
    }
    expect(await newLink()).not.toBe(url);
  });

  test("expires, and its bytes go", async () => {
    const url = await newLink();
    const key = (await fetch(url)).headers.get("etag")?.replaceAll('"', "") ?? "";
    const folder = join(gateway.folder, "blobs", key.slice(0, 2));
    expect(readdirSync(folder)).toContain(key);
    clock.advance(3_599_000);
    expect((await fetch(url)).status).toBe(200);
    clock.advance(2_000);
    expect((await fetch(url)).status).toBe(404);
    // Deleting a file begins a sweep.
    const form = new FormData();
    form.append("purpose", "vision");
    form.append("file", png());
    const { id } = (await (await gateway.fetch("/v1/files", { method: "POST", body: form })).json()) as { id: string };
    await gateway.fetch(`/v1/files/${id}`, { method: "DELETE" });
    await until("the blob is removed", () => !readdirSync(folder).includes(key));
  });

  test("never shows what a browser would run", async () => {
    const svg = "<svg xmlns='http://www.w3.org/2000/svg' onload='alert(1)'/>";
    answer = () => ({ created: 1, data: [{ b64_json: Buffer.from(svg).toString("base64") }] });
    const url = await newLink({ model: "other", output_format: "svg" });
    const response = await fetch(url);
    expect(response.headers.get("content-type")).toBe("application/octet-stream");
    expect(response.headers.get("content-disposition")).toStartWith("attachment");
    expect(response.headers.get("content-security-policy")).toBe("sandbox");
    // Unasked, it is no image.
    await bodyOf(await generate(gateway, { model: "other" }), 502);
  });

  test("begins with the origin under which the caller knows the gateway", async () => {
    const headers = { "x-forwarded-proto": "https" };
    const { data } = await bodyOf(await generate(gateway, { response_format: "url" }, { headers }));
    expect(data[0]?.url).toStartWith(`https://127.0.0.1:`);
  });
});

describe("an address of the provider", () => {
  const url = () => `http://127.0.0.1:${provider.port}/made.png`;

  test("is passed on", async () => {
    answer = () => ({ created: 1, data: [{ url: url() }], extra: 1 });
    expect(await bodyOf(await generate(gateway, { model: "other" }))).toEqual(answer() as never);
  });

  test("is fetched if base64 is asked for", async () => {
    answer = () => ({ created: 1, data: [{ url: url(), revised_prompt: "A fox" }], extra: 1 });
    const response = await generate(gateway, { model: "other", response_format: "b64_json" });
    const body = await bodyOf(response);
    expect(lookAt(body.data[0]?.b64_json)).toBe("png 64x64");
    expect(body.data[0]).toMatchObject({ revised_prompt: "A fox" });
    expect(body).toMatchObject({ created: 1, extra: 1 });
    expect(Object.keys(body.data[0] ?? {})).not.toContain("url");
    expect(await gateway.record(idOf(response))).toMatchObject({
      usage: { measurement: { output: "local_estimate" } },
    });
  });

  test("never reaches the caller if providers are hidden", async () => {
    answer = () => ({ created: 1, data: [{ url: url() }] });
    for (const model of ["other", modelAt("openai")]) {
      const body = await bodyOf(await generate(hiding, { model }));
      expect(body.data[0]?.url).toStartWith(`${hiding.url}/v1/media/`);
      expect(
        lookAt(Buffer.from(await (await fetch(body.data[0]?.url ?? "")).arrayBuffer()).toString("base64")),
      ).toStartWith("png ");
    }
  });

  test("is not fetched from an address that is not public, unless it is the provider's own", async () => {
    for (const [made, mayBeOwn] of [
      [`http://127.0.0.1:${elsewhere.port}/made.png`, false],
      ["http://169.254.169.254/latest/meta-data", false],
      ["http://localhost:1/made.png", false],
      ["file:///etc/passwd", false],
      [url(), true],
    ] as const) {
      answer = () => ({ created: 1, data: [{ url: made }] });
      const before = fetched;
      const response = await generate(gateway, { model: "other", response_format: "b64_json" });
      expect([made, response.status, fetched - before]).toEqual([made, mayBeOwn ? 200 : 502, mayBeOwn ? 1 : 0]);
      expect(await response.text()).not.toContain("169.254");
    }
  });

  test("that is a data: address is one of bytes", async () => {
    const data = `data:image/png;base64,${Buffer.from(await png().arrayBuffer()).toString("base64")}`;
    answer = () => ({ created: 1, data: [{ url: data }] });
    const asBase64 = await bodyOf(await generate(gateway, { model: "other", response_format: "b64_json" }));
    expect(lookAt(asBase64.data[0]?.b64_json)).toBe("png 64x64");
    expect(await newLink({ model: "other" })).toStartWith(`${gateway.url}/v1/media/`);
  });

  test("beside the bytes is not passed on", async () => {
    const b64_json = Buffer.from(await png().arrayBuffer()).toString("base64");
    answer = () => ({ created: 1, data: [{ b64_json, url: url() }] });
    expect(await bodyOf(await generate(hiding, { model: "other" }))).toEqual({ created: 1, data: [{ b64_json }] });
  });

  test("that leads to no image is a failure", async () => {
    const url = `${gateway.url}/healthz`;
    answer = () => ({ created: 1, data: [{ url }] });
    await bodyOf(await generate(gateway, { model: "other", response_format: "b64_json" }), 502);
    await bodyOf(
      await generate(gateway, { model: modelAt("openai"), prompt: scripted({ picture_url: "nothing" }) }),
      502,
    );
  });
});

test.each([
  [{ created: 1 }],
  [{ created: 1, data: {} }],
  [{ created: 1, data: [] }],
  [{ created: 1, data: [null, {}, { b64_json: null }, { b64_json: "" }] }],
  [{ created: 1, data: [{ b64_json: "????" }] }],
  [{ error: { message: "No.", code: "server_error" } }],
  [[]],
])("%j is no answer", async (body) => {
  answer = () => body;
  const response = await generate(gateway, { model: "other" });
  expect(response.status).toBe(502);
  expect((await gateway.record(idOf(response))).billing.amount_microusd).toBe(0);
});
