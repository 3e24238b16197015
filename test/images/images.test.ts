import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import {
  bodyOf,
  edit,
  generate,
  imageProviders,
  imagesModel,
  lookAt,
  modelAt,
  perImage,
  png,
  scripted,
} from "./images.testkit.ts";
import { startImagesGateway } from "./images.testkit.ts";

/** Images by a text and by other images, through every provider. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startImagesGateway([
    imagesModel("declared", ["gpt"], {
      parameters: {
        sizes: ["1024x1024"],
        qualities: ["low"],
        formats: ["png"],
        max_images: 2,
        max_input_images: 1,
        mask: false,
      },
    }),
    imagesModel("fallback", ["gemini", "gpt"]),
  ]);
});
afterAll(() => gateway.stop());

describe.each(imageProviders)("%s", (provider) => {
  const model = modelAt(provider);

  test("answers with base64", async () => {
    const response = await generate(gateway, { model, size: "1024x1024", response_format: "b64_json" });
    const body = await bodyOf(response);
    expect(body.data.map(({ b64_json }) => lookAt(b64_json))).toEqual(["png 1024x1024"]);
    expect(body.created).toBeGreaterThan(1_700_000_000);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      endpoint: "/v1/images/generations",
      usage: { dimensions: [{ name: "image", quantity: 1, unit: "image" }] },
      billing: { status: "charged", amount_microusd: perImage },
    });
  });

  test("answers with links that need no key", async () => {
    const body = await bodyOf(await generate(gateway, { model, response_format: "url", n: 2 }));
    expect(body.data).toHaveLength(2);
    for (const { url = "" } of body.data) {
      const linked = await fetch(url);
      expect([linked.status, linked.headers.get("content-type")]).toEqual([200, "image/png"]);
      expect(lookAt(Buffer.from(await linked.arrayBuffer()).toString("base64"))).toStartWith("png ");
    }
  });

  test("makes several images, which differ", async () => {
    const response = await generate(gateway, { model, n: 3, response_format: "b64_json" });
    const { data } = await bodyOf(response);
    expect(data).toHaveLength(3);
    expect((await gateway.record(idOf(response))).billing.amount_microusd).toBe(3 * perImage);
  });
});

describe("edits", () => {
  test.each(["gpt", "gemini"] as const)("of one and of several images at %s", async (provider) => {
    const model = modelAt(provider);
    const one = await bodyOf(await edit(gateway, { model, image: png() }));
    const several = await bodyOf(await edit(gateway, { model, image: [png(), png(32, 32)] }));
    const other = await bodyOf(await edit(gateway, { model, image: png(64, 64, "another") }));
    expect(lookAt(one.data[0]?.b64_json)).toBe("png 1024x1024");
    expect(new Set([one, several, other].map(({ data }) => data[0]?.b64_json)).size).toBe(3);
  });

  test("with a mask", async () => {
    const { data } = await bodyOf(await edit(gateway, { image: png(), mask: png(64, 64, "mask"), n: "2" }));
    expect(data).toHaveLength(2);
  });

  test.each(["gpt", "gemini"] as const)("of images in JSON, and of uploaded files, at %s", async (provider) => {
    const form = new FormData();
    form.append("purpose", "vision");
    form.append("file", png(), "fox.png");
    const file = (await (await gateway.fetch("/v1/files", { method: "POST", body: form })).json()) as { id: string };
    const data = `data:image/png;base64,${Buffer.from(await png().arrayBuffer()).toString("base64")}`;
    for (const image of [{ image_url: data }, { file_id: file.id }]) {
      const response = await editInJson({ model: modelAt(provider), images: [image] });
      expect(lookAt((await bodyOf(response)).data[0]?.b64_json)).toBe("png 1024x1024");
    }
    const unknown = await bodyOf(await editInJson({ images: [{ file_id: "file-00000000000000000000000000" }] }), 404);
    expect(unknown.error?.code).toBe("file_not_found");
  });

  const editInJson = (body: object) =>
    gateway.fetch("/v1/images/edits", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ model: modelAt("gpt"), prompt: "Make it blue", ...body }),
    });

  test("what is wrong in JSON is refused by its name", async () => {
    const url = "https://example.com/a.png";
    const cases: [object, string][] = [
      [{}, "images"],
      [{ images: "no" }, "images"],
      [{ images: [] }, "images"],
      [{ images: Array.from({ length: 17 }, () => ({ image_url: url })) }, "images"],
      [{ images: [{}] }, "images[0]"],
      [{ images: [{ image_url: url, file_id: "file-1" }] }, "images[0]"],
      [{ images: [{ image_url: "ftp://example.com" }] }, "images[0].image_url"],
      [{ images: [{ image_url: "data:image/png;base64,PHN2Zz48L3N2Zz4=" }] }, "images[0].image_url"],
      [{ images: [{ image_url: url }], mask: 1 }, "mask"],
      [{ image: "x" }, "image"],
    ];
    for (const [body, param] of cases) {
      expect((await bodyOf(await editInJson(body), 400)).error).toMatchObject({ param });
    }
  });

  test("what is wrong in a form is refused by its name", async () => {
    const text = (type: string, content: string) => new Blob([content], { type });
    const cases: [Parameters<typeof edit>[1], string][] = [
      [{}, "image"],
      [{ image: "no file" }, "image"],
      [{ image: new Blob([]) }, "image"],
      [{ image: text("image/png", "<svg xmlns='http://www.w3.org/2000/svg'/>") }, "image"],
      [{ image: text("image/png", "<!doctype html><html></html>") }, "image"],
      [{ image: png(), mask: png(64, 32) }, "mask"],
      [{ image: png(), mask: [png(), png()] }, "mask"],
      [{ image: Array.from({ length: 17 }, () => png()) }, "image"],
      [{ image: png(), n: "0" }, "n"],
      [{ image: png(), n: "one" }, "n"],
      [{ image: png(), stream: "yes" }, "stream"],
      [{ image: png(), prompt: " " }, "prompt"],
      [{ image: png(), user: png() }, "user"],
    ];
    for (const [fields, param] of cases) {
      expect((await bodyOf(await edit(gateway, fields), 400)).error).toMatchObject({ param });
    }
  });

  test("Gemini takes no mask", async () => {
    const { error } = await bodyOf(await edit(gateway, { model: modelAt("gemini"), image: png(), mask: png() }), 400);
    expect(error).toMatchObject({ code: "unsupported_parameter", param: "mask" });
  });
});

describe("fields", () => {
  const wrong: [object, string][] = [
    [{ prompt: undefined }, "prompt"],
    [{ prompt: 1 }, "prompt"],
    [{ prompt: "" }, "prompt"],
    [{ prompt: "x".repeat(32_001) }, "prompt"],
    [{ model: undefined }, "model"],
    [{ n: 0 }, "n"],
    [{ n: 11 }, "n"],
    [{ n: 100 }, "n"],
    [{ n: 1.5 }, "n"],
    [{ n: "2" }, "n"],
    [{ size: "0x1024" }, "size"],
    [{ size: "99999x1" }, "size"],
    [{ size: 1024 }, "size"],
    [{ size: "a b" }, "size"],
    [{ quality: 1 }, "quality"],
    [{ style: {} }, "style"],
    [{ background: true }, "background"],
    [{ moderation: 1 }, "moderation"],
    [{ output_format: 1 }, "output_format"],
    [{ output_compression: 101 }, "output_compression"],
    [{ response_format: "png" }, "response_format"],
    [{ partial_images: 4 }, "partial_images"],
    [{ stream: "true" }, "stream"],
    [{ input_fidelity: 1 }, "input_fidelity"],
    [{ MODEL: "x" }, "MODEL"],
  ];

  test.each(wrong.map(([body, param]) => [JSON.stringify(body).slice(0, 60), param, body] as const))(
    "%s is a 400 that names %s",
    async (_title, param, body) => {
      const { error } = await bodyOf(await generate(gateway, body), 400);
      expect(error).toMatchObject({ type: "invalid_request_error", param });
    },
  );

  test.each([
    [{ size: "512x512" }, "size"],
    [{ quality: "high" }, "quality"],
    [{ output_format: "webp" }, "output_format"],
    [{ n: 3 }, "n"],
  ])("what a model has not declared, %j, is a 400 that names %s", async (body, param) => {
    expect((await bodyOf(await generate(gateway, { model: "declared", ...body }), 400)).error?.param).toBe(param);
  });

  test("what a model has denied is a 400 that names the field", async () => {
    const masked = await edit(gateway, { model: "declared", image: png(), mask: png() });
    expect((await bodyOf(masked, 400)).error?.param).toBe("mask");
    const several = await edit(gateway, { model: "declared", image: [png(), png()] });
    expect((await bodyOf(several, 400)).error?.param).toBe("image");
  });

  test("reach OpenAI's shape as they were written, save the model's name", async () => {
    const sent = { prompt: "A lake", n: 1, size: "1024x1536", quality: "low", background: "opaque", user: "jane" };
    await bodyOf(await generate(gateway, sent));
    const body = JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body)) as object;
    expect(body).toEqual({ ...sent, model: "sandbox-gpt-image" });
  });

  test("become an aspect ratio and a resolution at Gemini, with warnings for what it has not", async () => {
    const asked = {
      model: modelAt("gemini"),
      size: "3840x2160",
      quality: "high",
      style: "vivid",
      output_format: "png",
    };
    const response = await generate(gateway, asked);
    const body = await bodyOf(response);
    expect(response.headers.get("x-service-warnings")).toBe("quality, style, output_format");
    expect(lookAt(body.data[0]?.b64_json)).toBe("png 5376x3072");
    expect(body).toMatchObject({ size: "5376x3072", output_format: "png" });
    const sent = JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body)) as {
      generationConfig: object;
    };
    expect(sent.generationConfig).toEqual({
      responseModalities: ["IMAGE"],
      imageConfig: { aspectRatio: "16:9", imageSize: "4K" },
    });
  });

  test.each([
    [{ model: modelAt("gemini"), size: "1000x300" }, "size"],
    [{ model: modelAt("gemini"), background: "transparent" }, "background"],
    [{ model: modelAt("imagen"), size: "1536x1024" }, "size"],
    [{ model: modelAt("imagen"), output_format: "webp" }, "output_format"],
    [{ model: modelAt("imagen"), n: 5 }, "n"],
  ])("%j is refused by its provider's column: %s", async (body, param) => {
    const { error } = await bodyOf(await generate(gateway, body), 400);
    expect(error).toMatchObject({ code: "unsupported_parameter", param });
  });
});

describe("faults", () => {
  test.each(["truncated", "html", "svg"])("%s in place of an image is a failure, and free", async (picture) => {
    for (const provider of imageProviders) {
      const model = modelAt(provider);
      const prompt = scripted({ picture });
      const response = await generate(gateway, { model, prompt, response_format: "b64_json" });
      expect((await bodyOf(response, 502)).error?.code).toBe("upstream_invalid_response");
      expect(await gateway.record(idOf(response))).toMatchObject({
        status: "failed",
        billing: { status: "refunded", amount_microusd: 0 },
      });
    }
  });

  test("an empty list of images is a failure", async () => {
    for (const provider of ["openai", "gpt", "imagen"] as const) {
      const response = await generate(gateway, { model: modelAt(provider), prompt: scripted({ pictures: 0 }) });
      await bodyOf(response, 502);
      expect((await gateway.record(idOf(response))).billing.amount_microusd).toBe(0);
    }
  });

  test("an image that Gemini refuses to make is a failure that says why", async () => {
    const response = await generate(gateway, { model: modelAt("gemini"), prompt: scripted({ refusal: "No." }) });
    expect((await bodyOf(response, 502)).error?.message).toContain("IMAGE_SAFETY");
  });

  test("a prompt that OpenAI refuses is the caller's fault", async () => {
    const { error } = await bodyOf(await generate(gateway, { prompt: scripted({ refusal: "No." }) }), 400);
    expect(error).toMatchObject({ code: "moderation_blocked", param: "prompt" });
  });

  test("the next target is asked after each of them", async () => {
    const faults = [
      { picture: "truncated" },
      { picture: "html" },
      { fault: { kind: "status", status: 500 } },
      { fault: { kind: "cut" } },
      { fault: { kind: "malformed_json" } },
    ];
    for (const script of faults) {
      gateway.sandbox.setModel("sandbox-flash-image", script as object);
      const response = await generate(gateway, { model: "fallback" });
      expect(lookAt((await bodyOf(response)).data[0]?.b64_json)).toBe("png 1024x1024");
      expect(response.headers.get("x-service-attempts")).toBe("2");
    }
    gateway.sandbox.setModel("sandbox-flash-image", {});
  });

  test("3 of 4 images are an answer, and 3 are charged", async () => {
    const failing = { kind: "status", status: 500, times: 1, key: crypto.randomUUID() };
    const cases: [string, object][] = [
      [modelAt("gpt"), { pictures: 3 }],
      [modelAt("imagen"), { pictures: 3 }],
      [modelAt("gemini"), { fault: failing }],
    ];
    for (const [model, script] of cases) {
      const response = await generate(gateway, { model, n: 4, prompt: scripted(script) });
      expect((await bodyOf(response)).data).toHaveLength(3);
      expect(await gateway.record(idOf(response))).toMatchObject({
        usage: { dimensions: [{ name: "image", quantity: 3 }] },
        billing: { amount_microusd: 3 * perImage },
      });
    }
  });
});

test("explain tells which targets cannot do it, and asks none", async () => {
  const before = gateway.sandbox.requests.length;
  const form = new FormData();
  form.append("model", "fallback");
  form.append("prompt", "Make it blue");
  form.append("image", png(), "image.png");
  form.append("mask", png(), "mask.png");
  const explained = await gateway.fetch("/api/routes/explain?endpoint=images_edits", { method: "POST", body: form });
  const text = await explained.text();
  expect([explained.status, text]).toEqual([200, expect.stringContaining("mask")]);
  expect(gateway.sandbox.requests).toHaveLength(before);
});

test("an answer is given again under its Idempotency-Key", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const first = await generate(gateway, {}, { headers });
  const again = await generate(gateway, {}, { headers });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await again.text()).toBe(await first.text());
});

test("a form is given its answer again though its boundary differs", async () => {
  const headers = { "idempotency-key": crypto.randomUUID() };
  const first = await edit(gateway, { image: png() }, { headers });
  const again = await edit(gateway, { image: png() }, { headers });
  expect(again.headers.get("idempotent-replayed")).toBe("true");
  expect(await again.text()).toBe(await first.text());
  const other = await edit(gateway, { image: png(8, 8) }, { headers });
  expect(other.status).toBe(409);
});
