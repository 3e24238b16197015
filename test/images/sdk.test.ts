import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createGoogleGenerativeAI } from "@ai-sdk/google";
import { createOpenAI } from "@ai-sdk/openai";
import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { GoogleGenAI } from "@google/genai";
import { generateImage } from "ai";
import OpenAI, { APIUserAbortError, BadRequestError, InternalServerError, toFile } from "openai";
import type { TestGateway } from "../gateway.testkit.ts";
import { imagesModel, lookAt, modelAt, png, scripted, startImagesGateway } from "./images.testkit.ts";

/** The official SDKs, with another base URL and key. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startImagesGateway([
    imagesModel("gpt-image-1", ["gpt"]),
    imagesModel("conversing", ["gemini"], { endpoints: ["generate_content"], prices: { input: 1, output: 2 } }),
  ]);
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const prompt = "A red fox";
const file = (width = 64) => toFile(png(width, 64), "image.png", { type: "image/png" });

describe.each(["gpt", "gemini"] as const)("openai with %s", (provider) => {
  const model = modelAt(provider);

  test("generate", async () => {
    const { data = [], created } = await client.images.generate({ model, prompt, size: "1024x1024", n: 2 });
    expect(data.map(({ b64_json }) => lookAt(b64_json))).toEqual(["png 1024x1024", "png 1024x1024"]);
    expect(created).toBeGreaterThan(1_700_000_000);
  });

  test("edit", async () => {
    const { data = [], usage } = await client.images.edit({ model, prompt, image: await file() });
    expect(lookAt(data[0]?.b64_json)).toBe("png 1024x1024");
    expect(usage?.input_tokens_details.image_tokens).toBeGreaterThan(0);
  });

  test("edit of several images", async () => {
    const { data = [] } = await client.images.edit({ model, prompt, image: [await file(), await file(32)] });
    expect(lookAt(data[0]?.b64_json)).toBe("png 1024x1024");
  });

  test("generate as a stream", async () => {
    const stream = await client.images.generate({ model, prompt, stream: true, partial_images: 1 });
    const types: string[] = [];
    let last: string | undefined;
    for await (const event of stream) {
      types.push(event.type);
      last = event.b64_json;
    }
    expect(types.at(-1)).toBe("image_generation.completed");
    expect(types).toHaveLength(provider === "gpt" ? 2 : 1);
    expect(lookAt(last)).toBe("png 1024x1024");
  });

  test("edit as a stream", async () => {
    const stream = await client.images.edit({ model, prompt, image: await file(), stream: true });
    const types: string[] = [];
    for await (const event of stream) types.push(event.type);
    expect(types).toEqual(["image_edit.completed"]);
  });
});

describe("openai", () => {
  test("edit with a mask", async () => {
    const asked = { model: modelAt("gpt"), prompt, image: await file(), mask: await file() };
    expect((await client.images.edit(asked)).data).toHaveLength(1);
    const wrong = client.images.edit({ ...asked, mask: await file(32) });
    const error = await wrong.then(null, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(BadRequestError);
    expect((error as BadRequestError).param).toBe("mask");
  });

  test("generate with Imagen, and with addresses", async () => {
    const made = await client.images.generate({ model: modelAt("imagen"), prompt, size: "1792x1024" });
    expect(lookAt(made.data?.[0]?.b64_json)).toBe("png 1408x768");
    const { data } = await client.images.generate({ model: modelAt("openai"), prompt, response_format: "url" });
    expect((await fetch(data?.[0]?.url ?? "")).headers.get("content-type")).toBe("image/png");
  });

  test("errors have the SDK's classes", async () => {
    const thrown = (asked: object) =>
      client.images.generate({ model: modelAt("gpt"), prompt, ...asked }).then(null, (error: unknown) => error);
    expect(await thrown({ n: 0 })).toBeInstanceOf(BadRequestError);
    expect(await thrown({ prompt: scripted({ pictures: 0 }) })).toBeInstanceOf(InternalServerError);
  });

  test("a caller may leave", async () => {
    const controller = new AbortController();
    const asked = client.images.generate(
      { model: modelAt("gpt"), prompt: scripted({ latency_ms: 20_000 }) },
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(), 20);
    expect(await asked.then(null, (error: unknown) => error)).toBeInstanceOf(APIUserAbortError);
  });
});

describe("AI SDK: generateImage", () => {
  test.each(["gpt", "openai", "gemini", "imagen"] as const)("of OpenAI's with %s", async (provider) => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const { images } = await generateImage({ model: openai.image(modelAt(provider)), prompt, size: "1024x1024", n: 2 });
    expect(images.map(({ base64, mediaType }) => [mediaType, lookAt(base64)])).toEqual([
      ["image/png", "png 1024x1024"],
      ["image/png", "png 1024x1024"],
    ]);
  });

  test("of OpenAI's, which asks its own models for no format", async () => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const { image } = await generateImage({ model: openai.image("gpt-image-1"), prompt });
    expect(lookAt(image.base64)).toBe("png 1024x1024");
  });

  test.each(["gpt", "gemini"] as const)("of OpenAI's, editing, with %s", async (provider) => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const bytes = new Uint8Array(await png().arrayBuffer());
    const { image } = await generateImage({
      model: openai.image(modelAt(provider)),
      prompt: { text: prompt, images: [bytes] },
    });
    expect(lookAt(image.base64)).toBe("png 1024x1024");
  });

  // It takes no address that is not public, as those of the sandbox and of a gateway in a test are.
  test.each(["gpt", "gemini", "imagen"] as const)("of compatible servers' with %s", async (provider) => {
    const compatible = createOpenAICompatible({ name: "gateway", baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const { image } = await generateImage({ model: compatible.imageModel(modelAt(provider)), prompt });
    expect(lookAt(image.base64)).toBe("png 1024x1024");
  });
});

describe("Google's wire format, which the sandbox speaks", () => {
  test("@google/genai reads an image of generateContent", async () => {
    const google = new GoogleGenAI({ apiKey: "a-key", httpOptions: { baseUrl: gateway.sandbox.url } });
    const { candidates = [], usageMetadata } = await google.models.generateContent({
      model: "sandbox-flash-image",
      contents: prompt,
      config: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "16:9", imageSize: "2K" } },
    });
    const part = candidates[0]?.content?.parts?.[0];
    expect([part?.inlineData?.mimeType, lookAt(part?.inlineData?.data)]).toEqual(["image/png", "png 2688x1536"]);
    expect(usageMetadata?.candidatesTokensDetails).toEqual([{ modality: "IMAGE", tokenCount: 1_290 }] as never);
  });

  test("the AI SDK's Google provider makes an image through the sandbox", async () => {
    const google = createGoogleGenerativeAI({ apiKey: "a-key", baseURL: `${gateway.sandbox.url}/v1beta` });
    const { image } = await generateImage({
      model: google.image("gemini-2.5-flash-image"),
      prompt,
      aspectRatio: "3:2",
    }).catch((error: unknown) => {
      // The sandbox has no such model unless it is told.
      expect(String(error)).toContain("gemini-2.5-flash-image");
      return { image: null };
    });
    expect(image).toBeNull();
    gateway.sandbox.setModel("gemini-2.5-flash-image", {});
    const made = await generateImage({ model: google.image("gemini-2.5-flash-image"), prompt, aspectRatio: "3:2" });
    expect(lookAt(made.image.base64)).toBe("png 1248x832");
  });

  test("what the gateway sends is what @google/genai sends", async () => {
    const google = new GoogleGenAI({ apiKey: "a-key", httpOptions: { baseUrl: gateway.sandbox.url } });
    const data = Buffer.from(await png().arrayBuffer()).toString("base64");
    await google.models.generateContent({
      model: "sandbox-flash-image",
      contents: [{ role: "user", parts: [{ inlineData: { mimeType: "image/png", data } }, { text: prompt }] }],
      config: { responseModalities: ["IMAGE"], imageConfig: { aspectRatio: "3:2" } },
    });
    const sent = () => {
      const { path, body } = gateway.sandbox.requests.at(-1) ?? { path: "", body: new Uint8Array() };
      return { path: path.replace(/^\/v1(beta)?/, ""), body: JSON.parse(new TextDecoder().decode(body)) as object };
    };
    const theirs = sent();
    await client.images.edit({ model: modelAt("gemini"), prompt, image: await file(), size: "1536x1024" });
    expect(sent()).toEqual(theirs);
  });

  test("Imagen's predict takes and gives what the SDK's Vertex form has", async () => {
    await client.images.generate({ model: modelAt("imagen"), prompt, n: 2, size: "1024x1024", output_format: "png" });
    const { path, body } = gateway.sandbox.requests.at(-1) ?? { path: "", body: new Uint8Array() };
    expect(path).toBe("/v1beta/models/sandbox-imagen:predict");
    expect(JSON.parse(new TextDecoder().decode(body))).toEqual({
      instances: [{ prompt }],
      parameters: {
        sampleCount: 2,
        aspectRatio: "1:1",
        sampleImageSize: "1K",
        outputOptions: { mimeType: "image/png" },
      },
    });
  });
});

test("@google/genai makes an image through the gateway's own generateContent", async () => {
  const google = new GoogleGenAI({ apiKey: gateway.key, httpOptions: { baseUrl: gateway.url } });
  const { candidates = [] } = await google.models.generateContent({
    model: "conversing",
    contents: prompt,
    config: { responseModalities: ["IMAGE"] },
  });
  expect(lookAt(candidates[0]?.content?.parts?.[0]?.inlineData?.data)).toBe("png 1024x1024");
});

test("the catalog tells what the sandbox's model can draw", async () => {
  const catalog = (await (await gateway.fetch("/api/models/catalog")).json()) as { data: { id: string }[] };
  expect(catalog.data.find(({ id }) => id === "sandbox-image")).toMatchObject({
    supported_endpoint_types: ["images_generations", "images_edits"],
    parameters: { sizes: expect.arrayContaining(["1024x1024"]), formats: ["png"] },
    output_modalities: ["image"],
  });
});
