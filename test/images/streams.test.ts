import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestGateway } from "../gateway.testkit.ts";
import { dataOf, idOf } from "../sse-text.testkit.ts";
import { edit, generate, lookAt, modelAt, perImage, png, scripted, startImagesGateway } from "./images.testkit.ts";

/** Images as events: as the provider sends them, or made from its whole answer. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startImagesGateway();
});
afterAll(() => gateway.stop());

interface ImageEvent {
  readonly type: string;
  readonly b64_json?: string;
  readonly partial_image_index?: number;
  readonly usage?: { readonly total_tokens: number };
  readonly error?: { readonly code: string };
}

const eventsOf = (text: string) => dataOf(text).map((data) => JSON.parse(data) as ImageEvent);

test("partial images come before the last one, with its usage", async () => {
  const response = await generate(gateway, { stream: true, partial_images: 2, size: "512x512" });
  expect(response.headers.get("content-type")).toStartWith("text/event-stream");
  const events = eventsOf(await response.text());
  expect(events.map(({ type }) => type)).toEqual([
    "image_generation.partial_image",
    "image_generation.partial_image",
    "image_generation.completed",
  ]);
  expect(events.map(({ b64_json }) => lookAt(b64_json))).toEqual(Array.from({ length: 3 }, () => "png 512x512"));
  expect(events.at(-1)?.usage?.total_tokens).toBeGreaterThan(0);
  expect(await gateway.record(idOf(response))).toMatchObject({
    stream: true,
    status: "succeeded",
    billing: { amount_microusd: perImage },
  });
});

test("edits have their own events", async () => {
  const response = await edit(gateway, { image: png(), stream: "true", partial_images: "1" });
  const types = eventsOf(await response.text()).map(({ type }) => type);
  expect(types).toEqual(["image_edit.partial_image", "image_edit.completed"]);
});

test.each(["gemini", "imagen"] as const)("%s, which has none, is given them", async (provider) => {
  const response = await generate(gateway, { model: modelAt(provider), stream: true, n: 2 });
  const events = eventsOf(await response.text());
  expect(events.map(({ type }) => type)).toEqual(["image_generation.completed", "image_generation.completed"]);
  expect(events.map(({ b64_json }) => lookAt(b64_json))).toEqual(["png 1024x1024", "png 1024x1024"]);
  expect((await gateway.record(idOf(response))).billing.amount_microusd).toBe(2 * perImage);
});

test("a provider that sends events unasked is at fault", async () => {
  const response = await generate(gateway, { prompt: scripted({ force_stream: true }) });
  expect(response.status).toBe(502);
});

test("a provider that ignores the field is given them too", async () => {
  const response = await generate(gateway, { stream: true, prompt: scripted({ ignore_stream: true }) });
  const [completed, ...others] = eventsOf(await response.text());
  expect([completed?.type, others]).toEqual(["image_generation.completed", []]);
  expect(completed?.usage?.total_tokens).toBeGreaterThan(0);
});

describe("a stream that breaks", () => {
  test.each([
    { fault: { kind: "cut", after: 1 } },
    { fault: { kind: "end", after: 1 } },
    { fault: { kind: "error_event", after: 1 } },
    { fault: { kind: "malformed_json", after: 1 } },
    { no_done: true },
  ])("%j ends with an error event, and is free", async (script) => {
    const response = await generate(gateway, { stream: true, partial_images: 2, prompt: scripted(script) });
    expect(response.status).toBe(200);
    const events = eventsOf(await response.text());
    expect(events.at(-1)?.type).toBe("error");
    expect(events.at(-1)?.error?.code).toBeTruthy();
    expect(events.map(({ type }) => type)).not.toContain("image_generation.completed");
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "failed",
      billing: { status: "refunded", amount_microusd: 0 },
    });
  });

  test.each(["truncated", "html"])("%s in place of an image is a failure before anything is sent", async (picture) => {
    const response = await generate(gateway, { stream: true, prompt: scripted({ picture }) });
    expect(response.status).toBe(502);
  });
});

test("a caller who leaves after a partial image has had an image", async () => {
  const controller = new AbortController();
  const prompt = scripted({ chunk_delay_ms: 20_000 });
  const body = { stream: true, partial_images: 2, prompt };
  const response = await generate(gateway, body, { signal: controller.signal });
  const reader = response.body?.getReader();
  await reader?.read();
  controller.abort();
  expect(await gateway.eventualRecord(idOf(response) ?? "")).toMatchObject({
    status: "cancelled",
    usage: { dimensions: [{ name: "image", quantity: 1 }] },
    billing: { amount_microusd: perImage },
  });
});

test("a caller who leaves before any pays nothing", async () => {
  const controller = new AbortController();
  const asked = generate(gateway, { prompt: scripted({ latency_ms: 20_000 }) }, { signal: controller.signal });
  await gateway.sandbox.waitFor((requests) => requests.some(({ outcome }) => outcome === "open"));
  controller.abort();
  expect(await asked.then(null, (error: Error) => error.name)).toBe("AbortError");
  await gateway.sandbox.waitFor((requests) => requests.every(({ outcome }) => outcome !== "open"));
});
