import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { generateSpeech } from "ai";
import OpenAI, { APIUserAbortError, BadRequestError, InternalServerError } from "openai";
import type { TestGateway } from "../gateway.testkit.ts";
import { modelAt, scripted, speechProviders, startSpeechGateway, voices } from "./speech.testkit.ts";

/** The official SDKs, with another base URL and key. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startSpeechGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const input = "The quick brown fox";

/** The beginning of a WAV file. */
const isWav = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "RIFF";

describe.each(speechProviders)("%s", (provider) => {
  const model = modelAt(provider);
  const voice = voices[provider];

  test("openai: whole, with its request id", async () => {
    const answer = await client.audio.speech.create({ model, voice, input, response_format: "wav" });
    expect(isWav(await answer.bytes())).toBe(true);
    const record = await gateway.record(answer.headers.get("x-request-id"));
    expect(record).toMatchObject({ status: "succeeded", usage: { dimensions: [{ quantity: input.length }] } });
  });

  test("openai: as it comes", async () => {
    const answer = await client.audio.speech.create({ model, voice, input, response_format: "wav" });
    const pieces: Uint8Array[] = [];
    for await (const piece of answer.body ?? []) pieces.push(piece);
    expect(isWav(Buffer.concat(pieces))).toBe(true);
  });

  test("openai: as events", async () => {
    const asked = { model, voice, input, response_format: "wav", stream_format: "sse" } as const;
    const text = await (await client.audio.speech.create(asked)).text();
    const events = text
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice(6)) as { readonly type: string; readonly audio?: string });
    const sound = Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    expect(isWav(sound)).toBe(true);
    expect(events.at(-1)?.type).toBe("speech.audio.done");
  });

  test("AI SDK: generateSpeech", async () => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const { audio } = await generateSpeech({ model: openai.speech(model), text: input, voice, outputFormat: "wav" });
    expect([isWav(audio.uint8Array), audio.mediaType]).toEqual([true, "audio/wav"]);
  });
});

describe("errors", () => {
  const usual = { model: modelAt("openai"), voice: "alloy", input };

  test("have the SDK's classes", async () => {
    const bad = client.audio.speech.create({ ...usual, speed: 9 });
    expect(await bad.then(null, (error: unknown) => error)).toBeInstanceOf(BadRequestError);
    const failed = client.audio.speech.create({
      ...usual,
      input: scripted({ fault: { kind: "status", status: 500 } }),
    });
    expect(await failed.then(null, (error: unknown) => error)).toBeInstanceOf(InternalServerError);
  });

  test("a caller may leave", async () => {
    const controller = new AbortController();
    const asked = client.audio.speech.create(
      { ...usual, input: scripted({ latency_ms: 20_000 }) },
      { signal: controller.signal },
    );
    setTimeout(() => controller.abort(), 20);
    expect(await asked.then(null, (error: unknown) => error)).toBeInstanceOf(APIUserAbortError);
  });
});

test("the catalog tells what the sandbox's model can speak", async () => {
  const catalog = (await (await gateway.fetch("/api/models/catalog")).json()) as { data: { id: string }[] };
  expect(catalog.data.find(({ id }) => id === "sandbox-speech")).toMatchObject({
    supported_endpoint_types: ["audio_speech"],
    parameters: { voices: expect.arrayContaining(["alloy"]), formats: ["mp3", "wav", "pcm"] },
    output_modalities: ["audio"],
    pricing: [{ dimension: "character", unit: "1M_characters", unit_size: 1_000_000, unit_microusd: 15_000_000 }],
  });
});
