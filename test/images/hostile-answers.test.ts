import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { draw } from "../../src/sandbox/pictures/draw.ts";
import { writePng } from "../../src/sandbox/pictures/png.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { dataOf, idOf } from "../sse-text.testkit.ts";
import { bodyOf, generate, imagesModel, lookAt, perImage, png, startImagesGateway } from "./images.testkit.ts";

/** Answers that no provider should give: more than was asked for, addresses that lead astray, base64 that is none. */

let answer: () => Response = () => new Response();
let serve: (path: string) => Response = () => new Response(png());
const fetched: string[] = [];
const provider = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  async fetch(request) {
    if (request.method === "POST") {
      await request.arrayBuffer();
      return answer();
    }
    const { pathname } = new URL(request.url);
    fetched.push(pathname);
    return serve(pathname);
  },
});
let insideCalls = 0;
const inside = Bun.serve({ hostname: "127.0.0.1", port: 0, fetch: () => (insideCalls++, new Response(png())) });

const target = { targets: [{ provider: "other", model: "any" }] };
const models = [
  imagesModel("other", [], target),
  imagesModel("by-size", [], { ...target, prices: { image: { "1024x1024": 100_000, default: 10_000 } } }),
];
const options = (hideProvider: boolean) => ({
  server: { hideProvider },
  providers: (url: string) => [
    { id: "openai", dialects: ["openai-chat"] as const, baseUrl: url },
    { id: "gemini", dialects: ["gemini"] as const, baseUrl: url.replace(/\/v1$/, "") },
    { id: "other", dialects: ["openai-chat"] as const, baseUrl: `http://127.0.0.1:${provider.port}/v1` },
  ],
});

let gateway: TestGateway;
let hiding: TestGateway;
beforeAll(async () => {
  gateway = await startImagesGateway(models, options(false));
  hiding = await startImagesGateway(models, options(true));
});
afterAll(async () => {
  await gateway.stop();
  await hiding.stop();
  await provider.stop(true);
  await inside.stop(true);
});

const ask = (body: object = {}, at = gateway) => generate(at, { model: "other", ...body });
const made = (path: string) => `http://127.0.0.1:${provider.port}${path}`;
const base64Of = async (image: Blob) => Buffer.from(await image.arrayBuffer()).toString("base64");
const eventsAnswer = (event: object) =>
  new Response(`data: ${JSON.stringify(event)}\n\n`, { headers: { "content-type": "text/event-stream" } });
/** A PNG of some bytes, so that base64 is decoded in several pieces. */
const large = writePng(draw({ text: "large", width: 64, height: 64 }), 700_000);

describe("more images than were asked for", () => {
  test.each(["url", "b64_json"])("are neither fetched nor given: %s", async (format) => {
    fetched.length = 0;
    answer = () => Response.json({ created: 1, data: Array.from({ length: 50 }, (_, i) => ({ url: made(`/${i}`) })) });
    const response = await ask({ n: 2, response_format: format }, hiding);
    expect((await bodyOf(response)).data).toHaveLength(2);
    expect(fetched).toEqual(["/0", "/1"]);
    expect((await hiding.record(idOf(response))).billing.amount_microusd).toBe(2 * perImage);
  });

  test("are not kept either", async () => {
    const b64_json = await base64Of(png());
    answer = () => Response.json({ created: 1, data: Array.from({ length: 50 }, () => ({ b64_json })) });
    for (const response_format of ["url", "b64_json"]) {
      expect((await bodyOf(await ask({ response_format }))).data).toHaveLength(1);
    }
  });
});

test("images that are fetched are bounded together", async () => {
  const bytes = new Uint8Array(20 << 20);
  bytes.set(writePng(draw({ text: "large", width: 64, height: 64 })));
  bytes.set(Buffer.from("IEND"), bytes.length - 8);
  serve = () => new Response(bytes);
  fetched.length = 0;
  answer = () => Response.json({ created: 1, data: Array.from({ length: 10 }, (_, i) => ({ url: made(`/${i}`) })) });
  const response = await ask({ n: 10, response_format: "b64_json" });
  serve = () => new Response(png());
  await bodyOf(response, 502);
  expect(fetched).toHaveLength(5);
}, 30_000);

test("a redirect to another port of the provider's own private host is refused", async () => {
  serve = () => new Response(null, { status: 302, headers: { location: `http://127.0.0.1:${inside.port}/inside` } });
  answer = () => Response.json({ created: 1, data: [{ url: made("/made.png") }] });
  const response = await ask({ response_format: "b64_json" });
  serve = () => new Response(png());
  await bodyOf(response, 502);
  expect(insideCalls).toBe(0);
});

test("an address beside base64 is not passed on", async () => {
  const both = { url: "https://provider.example/made.png", b64_json: await base64Of(png()) };
  answer = () => Response.json({ created: 1, data: [both], extra: 1 });
  const body = await bodyOf(await ask({}, hiding));
  expect(body).toMatchObject({ data: [{ b64_json: both.b64_json }], extra: 1 });
  expect(JSON.stringify(body)).not.toContain("provider.example");
  answer = () => eventsAnswer({ type: "image_generation.completed", ...both });
  const [event = ""] = dataOf(await (await ask({ stream: true }, hiding)).text());
  expect(JSON.parse(event)).toEqual({ type: "image_generation.completed", b64_json: both.b64_json });
});

test("long texts beside images are given as they are", async () => {
  const long = "long ".repeat(20_000);
  const image = { b64_json: await base64Of(png()), revised_prompt: long };
  answer = () => Response.json({ created: 1, data: [image], extra: { deep: [long] } });
  const body = await bodyOf(await ask({ response_format: "url" }));
  expect(body.data[0]?.revised_prompt).toBe(long);
  expect(body).toMatchObject({ extra: { deep: [long] } });
});

describe("base64", () => {
  const base64 = Buffer.from(large).toString("base64");
  const cut = 300_000;
  const broken: Readonly<Record<string, string>> = {
    "with other characters": `${base64.slice(0, cut)}<!--${base64.slice(cut + 4)}`,
    "with an end in the middle": `${base64.slice(0, cut)}====${base64.slice(cut + 4)}`,
    "that a character is missing of": `${base64.slice(0, cut)}${base64.slice(cut + 3)}`.replaceAll("=", ""),
  };
  test.each(Object.entries(broken))("%s is a failure, and free", async (_, b64_json) => {
    for (const response_format of ["url", "b64_json"]) {
      answer = () => Response.json({ created: 1, data: [{ b64_json }] });
      const response = await ask({ response_format });
      await bodyOf(response, 502);
      expect((await gateway.record(idOf(response))).billing.amount_microusd).toBe(0);
    }
    answer = () => eventsAnswer({ type: "image_generation.completed", b64_json });
    await bodyOf(await ask({ stream: true }), 502);
  });

  const unusual: Readonly<Record<string, string>> = {
    "in lines": base64.replace(/.{76}/g, "$&\r\n"),
    "of the alphabet of addresses": base64.replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", ""),
  };
  test.each(Object.entries(unusual))("%s leads to the same bytes", async (_, b64_json) => {
    answer = () => Response.json({ created: 1, data: [{ b64_json }] });
    const { data } = await bodyOf(await ask({ response_format: "url" }));
    expect(Buffer.from(await (await fetch(data[0]?.url ?? "")).arrayBuffer()).equals(large)).toBe(true);
    const given = (await bodyOf(await ask())).data[0]?.b64_json ?? "";
    expect(given.replaceAll("=", "")).toBe(base64.replaceAll("=", ""));
    expect(lookAt(given)).toBe("png 64x64");
  });
});

test.each(["01024x1024", "1024x01024", "1024X1024"])("the size %s costs what 1024x1024 does", async (size) => {
  answer = () => Response.json({ created: 1, data: [{ url: "https://provider.example/made.png" }] });
  const response = await ask({ model: "by-size", size });
  await bodyOf(response);
  expect((await gateway.record(idOf(response))).billing.amount_microusd).toBe(100_000);
});
