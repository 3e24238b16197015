import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { draw } from "../../src/sandbox/pictures/draw.ts";
import { writePng } from "../../src/sandbox/pictures/png.ts";
import { chatAnswer } from "./answers.testkit.ts";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Ten images of 4 MB: they are served in every form, and hold up no other request. */

const count = 10;
const megabyte = 1_000_000;
const bytes = writePng(draw({ text: "large", width: 2_048, height: 2_048 }), 4 * megabyte);
const base64 = Buffer.from(bytes).toString("base64");

const json =
  (body: string): Behaviour =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(body);

const openaiAnswer = JSON.stringify({ created: 1, data: Array.from({ length: count }, () => ({ b64_json: base64 })) });
const part = { inlineData: { mimeType: "image/png", data: base64 } };
const geminiAnswer = JSON.stringify({
  candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP" }],
  usageMetadata: { promptTokenCount: 7, candidatesTokenCount: 1_290, totalTokenCount: 1_297 },
});
const event = (type: string) =>
  `event: ${type}\ndata: ${JSON.stringify({ type, b64_json: base64, created_at: 1 })}\n\n`;
const events = event("image_generation.partial_image").repeat(3) + event("image_generation.completed");

const images = { endpoints: ["images_generations"], prices: { image: 0.04 } };

describe.skipIf(process.platform !== "linux")("ten images of 4 MB", () => {
  let gateway: WatchedGateway;
  let address = "";
  beforeAll(async () => {
    gateway = await startWatchedGateway({
      models: {
        good: { dialect: "openai-chat", behave: chatAnswer("openai-chat") },
        base64: { dialect: "openai-chat", behave: json(openaiAnswer), model: images },
        gemini: { dialect: "gemini", behave: json(geminiAnswer), model: images },
        addresses: {
          dialect: "openai-chat",
          behave: (response) => {
            const data = Array.from({ length: count }, () => ({ url: address }));
            json(JSON.stringify({ created: 1, data }))(response);
          },
          model: images,
        },
        file: {
          dialect: "openai-chat",
          behave: (response) => void response.writeHead(200, { "content-type": "image/png" }).end(bytes),
        },
        events: {
          dialect: "openai-chat",
          behave: (response) => void response.writeHead(200, { "content-type": "text/event-stream" }).end(events),
          model: images,
        },
      },
    });
    address = `${gateway.provider.urlOf("file")}/image.png`;
    for (let round = 0; round < 60; round++) await (await gateway.chat({ model: "good" })).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  const cases: Readonly<Record<string, readonly [body: object, found: RegExp, bytes: number, furtherCalls?: number]>> =
    {
      "base64 as it came": [{ model: "base64", n: count }, /"b64_json":"iVBOR/, count * base64.length],
      "base64 to links": [{ model: "base64", n: count, response_format: "url" }, /"url":"http/, 200],
      "partial images in a stream": [{ model: "events", stream: true }, /"b64_json":"iVBOR/, 4 * base64.length],
      "a whole answer as a stream": [{ model: "base64", n: count, stream: true }, /"b64_json":"iVBOR/, base64.length],
      "ten calls of Gemini": [{ model: "gemini", n: count }, /"b64_json":"iVBOR/, count * base64.length, count - 1],
      "addresses to base64": [
        { model: "addresses", n: count, response_format: "b64_json" },
        /"b64_json":"iVBOR/,
        count * base64.length,
        count,
      ],
    };
  test.each(Object.entries(cases))("%s", async (name, [body, found, minBytes, furtherCalls]) => {
    let answer = { status: 0, start: "", bytes: 0 };
    const attack = async () => {
      const response = await gateway.post("/v1/images/generations", JSON.stringify({ prompt: "A fox", ...body }));
      const text = await response.text();
      answer = { status: response.status, start: text.slice(0, 300), bytes: text.length };
    };
    const { stall, growth, unrecorded } = await gateway.attack(`images: ${name}`, attack, furtherCalls);
    expect(unrecorded).toBe(0);
    expect(answer).toMatchObject({ status: 200, start: expect.stringMatching(found) });
    expect(answer.bytes).toBeGreaterThan(minBytes);
    expect(stall).toBeLessThan(maxStall);
    // Received, written and sent: each at most once, beside what the collector has not come to.
    expect(growth).toBeLessThan(400);
  });
});

describe.skipIf(process.platform !== "linux")("ten answers of 53 MB at once", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    gateway = await startWatchedGateway({
      models: { base64: { dialect: "openai-chat", behave: json(openaiAnswer), model: images } },
      server: { max_answer_memory_bytes: 64 << 20 },
    });
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  test("take the memory of answers and no more: those without room wait, or are refused", async () => {
    const body = JSON.stringify({ prompt: "A fox", model: "base64", n: count });
    const ask = async () => {
      const response = await gateway.post("/v1/images/generations", body);
      return [response.status, response.headers.get("retry-after"), (await response.bytes()).length] as const;
    };
    let answers: readonly Awaited<ReturnType<typeof ask>>[] = [];
    const { stall, growth } = await gateway.attack("images: ten answers of 53 MB at once", async () => {
      answers = await Promise.all(Array.from({ length: 10 }, ask));
    });
    const served = answers.filter(([status]) => status === 200);
    expect(served.length).toBeGreaterThan(0);
    for (const [, , length] of served) expect(length).toBe(openaiAnswer.length);
    for (const [status, retryAfter] of answers) if (status !== 200) expect([status, retryAfter]).toEqual([503, "1"]);
    expect(stall).toBeLessThan(maxStall);
    // Without a bound it is above 1,000.
    expect(growth).toBeLessThan(600);
  });
});
