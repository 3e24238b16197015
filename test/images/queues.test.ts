import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI, { toFile } from "openai";
import { draw } from "../../src/sandbox/pictures/draw.ts";
import { writePng } from "../../src/sandbox/pictures/png.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions } from "../gateway.testkit.ts";

/** The providers whose answers are jobs, and the models that are asked for here. */
const options = {
  providers: (url) => {
    const { origin } = new URL(url);
    return [
      { id: "fal", dialects: ["fal"], baseUrl: `${origin}/fal`, apiKeys: ["key"] },
      { id: "replicate", dialects: ["replicate"], baseUrl: `${origin}/replicate/v1`, apiKeys: ["key"] },
    ];
  },
  models: [
    ["fal", "fal-ai/flux/dev"],
    ["banana", "fal-ai/nano-banana"],
    ["fill", "fal-ai/flux-pro/v1/fill"],
    ["replicate", "black-forest-labs/flux-schnell"],
    ["kontext", "black-forest-labs/flux-kontext-pro"],
    ["sdxl", "stability-ai/sdxl:39ed52f2a78e934b3ba6e2a89f5b1c712de7dfea535525255b1aa35c5565e08b"],
  ].map(([id = "", model = ""]) => ({
    id,
    endpoints: ["images_generations", "images_edits"],
    targets: [{ provider: id === "fal" || id === "banana" || id === "fill" ? "fal" : "replicate", model }],
    prices: { image: 50_000 },
  })),
} satisfies TestGatewayOptions;

const both = ["fal", "replicate"];
/** Fields that the SDK does not know. */
const more = (fields: object) => fields;
const says = (script: object) => `A boat [[sandbox: ${JSON.stringify(script)}]]`;

function clientOf({ url, key }: TestGateway): OpenAI {
  return new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
}

async function refusal(asked: Promise<unknown>) {
  const error = await asked.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  if (!(error instanceof OpenAI.APIError)) throw new Error(`Not refused: ${String(error)}`);
  const { status, code, param, message } = error;
  return { status, code, param, message };
}

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway(options);
});
afterAll(() => gateway.stop());

/** The requests at a provider since `mark`, as `METHOD path`. */
function asked(mark: number): string[] {
  return gateway.sandbox.requests
    .slice(mark)
    .map(({ method, path }) => `${method} ${path.replace(/[\da-f-]{36}/, "ID")}`);
}

const mark = () => gateway.sandbox.requests.length;
const input = (index: number) => JSON.parse(new TextDecoder().decode(gateway.sandbox.requests[index]?.body)) as unknown;

async function recordOf(response: Response) {
  return gateway.record(response.headers.get("x-service-request-id"));
}

describe.each(both)("%s", (model) => {
  test("makes images, which are charged by their number", async () => {
    const { data, response } = await clientOf(gateway)
      .images.generate({ model, prompt: "A boat", n: 2, size: "1024x1024", response_format: "b64_json" })
      .withResponse();
    expect(data.data).toHaveLength(2);
    const bytes = Buffer.from(data.data?.[0]?.b64_json ?? "", "base64");
    expect(bytes.subarray(1, 4).toString()).toBe("PNG");
    const record = await recordOf(response);
    expect(record).toMatchObject({ status: "succeeded", routing: { attempts: 1 } });
    expect(record.usage.dimensions).toContainEqual(expect.objectContaining({ name: "image", quantity: 2 }));
    expect(record.billing.amount_microusd).toBe(100_000);
  });

  test("gives the provider's own addresses", async () => {
    const { data } = await clientOf(gateway).images.generate({ model, prompt: "A boat", response_format: "url" });
    expect(data?.[0]?.url).toContain("/_files/");
    expect((await fetch(data?.[0]?.url ?? "")).headers.get("content-type")).toBe("image/png");
  });

  test("is charged for what was delivered", async () => {
    const { data, response } = await clientOf(gateway)
      .images.generate({ model, prompt: says({ job: { makes: 3 } }), n: 4 })
      .withResponse();
    expect(data.data).toHaveLength(3);
    expect((await recordOf(response)).billing.amount_microusd).toBe(150_000);
  });

  test("is asked again if a question about a job fails, and not for a new job", async () => {
    const before = mark();
    await clientOf(gateway).images.generate({
      model,
      prompt: says({ job: { queued: 1, running: 1, failing_polls: 2 } }),
    });
    expect(asked(before).filter((request) => request.startsWith("POST"))).toHaveLength(1);
  });

  test.each([
    [{ fails: "NSFW content detected" }, model === "fal" ? 422 : 502],
    [{ makes: 0 }, 502],
    [{ file: "html" }, 502],
    [{ file: "missing" }, 502],
    [{ file: "truncated" }, 502],
    [{ file: "moved_to_private" }, 502],
  ] as const)("that makes nothing for %j is an error, and free", async (job, status) => {
    const { images } = clientOf(gateway);
    const asking = images.generate({ model, prompt: says({ job }), response_format: "b64_json" });
    expect((await refusal(asking)).status).toBe(status);
    const list = (await (await gateway.fetch("/api/usage/requests?limit=1")).json()) as { data: unknown[] };
    expect(list.data).toMatchObject([{ status: "failed", billing: { amount_microusd: 0 } }]);
  });

  test("refuses what it cannot do, naming the field", async () => {
    const { images } = clientOf(gateway);
    expect(await refusal(images.generate({ model, prompt: "A boat", background: "transparent" }))).toMatchObject({
      status: 400,
      param: "background",
    });
    const { response } = await images
      .generate({ model, prompt: "A boat", quality: "high", user: "me", ...more({ seed: 7, surprise: 1 }) })
      .withResponse();
    expect(response.headers.get("x-service-warnings")).toBe("quality, surprise");
    expect(input(gateway.sandbox.requests.findLastIndex(({ method }) => method === "POST"))).toMatchObject(
      model === "fal" ? { seed: 7 } : { input: { seed: 7 } },
    );
  });

  test("streams a whole image as an event", async () => {
    const stream = await clientOf(gateway).images.generate({ model, prompt: "A boat", stream: true });
    const events = await Array.fromAsync(stream);
    expect(events.at(-1)).toMatchObject({ type: "image_generation.completed" });
  });

  test("cancels the job of a caller who leaves", async () => {
    const before = mark();
    const leaving = new AbortController();
    const left = clientOf(gateway)
      .images.generate({ model, prompt: says({ job: { queued: 0, never_done: true } }) }, { signal: leaving.signal })
      .catch(() => undefined);
    await gateway.sandbox.waitFor((requests) => requests.slice(before).some(({ method }) => method === "GET"));
    leaving.abort();
    await left;
    await gateway.sandbox.waitFor((requests) => requests.slice(before).some(({ path }) => path.endsWith("/cancel")));
  });

  test("that refuses the submit is passed on as it is", async () => {
    const generate = (fault: object) =>
      refusal(clientOf(gateway).images.generate({ model, prompt: says({ fault: { kind: "status", ...fault } }) }));
    expect(await generate({ status: 429 })).toMatchObject({ status: 429, code: "provider_rate_limit" });
    expect((await generate({ status: 402 })).status).toBe(502);
    expect((await generate({ status: 500 })).status).toBe(502);
  });
});

describe("edits", () => {
  const png = writePng(draw({ text: "before", width: 64, height: 64 }));
  const picture = async () => toFile(png, "before.png", { type: "image/png" });
  const url = `data:image/png;base64,${Buffer.from(png).toString("base64")}`;

  test.each([
    ["fal", "/fal/fal-ai/flux/dev/image-to-image", { image_url: url, num_images: 1 }],
    ["banana", "/fal/fal-ai/nano-banana/edit", { image_urls: [url], num_images: 1 }],
    ["kontext", "/replicate/v1/models/black-forest-labs/flux-kontext-pro/predictions", { input_image: url }],
  ])("of %s are sent to %s", async (model, path, fields) => {
    const before = mark();
    const { data } = await clientOf(gateway).images.edit({ model, prompt: "A boat", image: await picture() });
    expect(data).toHaveLength(1);
    const at = gateway.sandbox.requests.findIndex((request, index) => index >= before && request.path === path);
    const sent = input(at);
    expect(model === "kontext" ? sent : { input: sent }).toMatchObject({ input: { prompt: "A boat", ...fields } });
  });

  test("with a mask go to models that take one", async () => {
    const { images } = clientOf(gateway);
    const asking = { prompt: "A boat", image: await picture(), mask: await picture() };
    for (const model of ["fill", "sdxl"]) expect((await images.edit({ model, ...asking })).data).toHaveLength(1);
    expect(await refusal(images.edit({ model: "banana", ...asking }))).toMatchObject({ status: 400, param: "mask" });
  });

  test("by addresses leave them to the provider", async () => {
    const before = mark();
    const response = await gateway.fetch("/v1/images/edits", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: "banana", prompt: "A boat", images: [{ image_url: "https://example.com/a.png" }] }),
    });
    expect(response.status).toBe(200);
    expect(input(before)).toMatchObject({ image_urls: ["https://example.com/a.png"] });
  });
});

describe("sizes", () => {
  const sizeSent = async (model: string, size: string) => {
    const before = mark();
    await clientOf(gateway).images.generate({ model, prompt: "A boat", size });
    return input(before);
  };

  test("are those of the model's own input", async () => {
    expect(await sizeSent("fal", "640x480")).toMatchObject({ image_size: { width: 640, height: 480 } });
    expect(await sizeSent("fal", "landscape_16_9")).toMatchObject({ image_size: "landscape_16_9" });
    expect(await sizeSent("banana", "1792x1024")).toMatchObject({ aspect_ratio: "16:9" });
    expect(await sizeSent("replicate", "1024x1536")).toMatchObject({ input: { aspect_ratio: "2:3" } });
    const sdxl = { version: "39ed52f2a78e934b3ba6e2a89f5b1c712de7dfea535525255b1aa35c5565e08b" };
    expect(await sizeSent("sdxl", "768x512")).toMatchObject({ ...sdxl, input: { width: 768, height: 512 } });
  });

  test("that a model has not are a 400", async () => {
    const asking = clientOf(gateway).images.generate({ model: "banana", prompt: "A boat", size: "1024x100" });
    expect(await refusal(asking)).toMatchObject({ status: 400, param: "size" });
  });
});

test("what fal finds wrong with an input is the caller's, with the field", async () => {
  const { images } = clientOf(gateway);
  expect(await refusal(images.generate({ model: "fal", prompt: "A boat", ...more({ seed: "seven" }) }))).toMatchObject({
    status: 422,
    param: "seed",
  });
  expect(await refusal(images.generate({ model: "fal", prompt: "A boat", n: 9 }))).toMatchObject({
    status: 400,
    param: "n",
  });
});

describe("another provider", () => {
  let both: TestGateway;
  beforeAll(async () => {
    const model = { endpoints: ["images_generations"], prices: { image: 50_000 } };
    const targets = [
      { provider: "fal", model: "fal-ai/flux/dev" },
      { provider: "poor", model: "fal-ai/flux/dev" },
      { provider: "replicate", model: "black-forest-labs/flux-schnell" },
    ];
    both = await startTestGateway({
      ...options,
      providers: (url) => [
        ...options.providers(url),
        { id: "poor", dialects: ["fal"], baseUrl: `${new URL(url).origin}/fal`, apiKeys: ["poor"] },
      ],
      models: [
        { ...model, id: "first-poor", targets: targets.slice(1) },
        { ...model, id: "fal-first", targets: [...targets.slice(0, 1), ...targets.slice(2)] },
      ],
    });
  });
  afterAll(() => both.stop());

  test.each([
    ["first-poor", "A boat"],
    ["fal-first", says({ fault: { kind: "close", models: ["fal/fal-ai/flux/dev"] } })],
    ["fal-first", says({ fault: { kind: "status", status: 503, models: ["fal/fal-ai/flux/dev"] } })],
  ])("is asked by %s if the first has no credit left or is not there: %s", async (model, prompt) => {
    const { data, response } = await clientOf(both).images.generate({ model, prompt }).withResponse();
    expect(data.data).toHaveLength(1);
    const record = await both.record(response.headers.get("x-service-request-id"));
    expect(record).toMatchObject({ routing: { chose_provider: "replicate" }, billing: { amount_microusd: 50_000 } });
  });
});

test("a provider that is hidden has no address in an answer", async () => {
  const hidden = await startTestGateway({ ...options, server: { hideProvider: true } });
  try {
    for (const model of both) {
      const { data } = await clientOf(hidden).images.generate({ model, prompt: "A boat", response_format: "url" });
      expect(data?.[0]?.url).toStartWith(hidden.url);
      expect((await fetch(data?.[0]?.url ?? "")).headers.get("content-type")).toBe("image/png");
    }
  } finally {
    await hidden.stop();
  }
});
