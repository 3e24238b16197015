import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { experimental_transcribe as transcribe } from "ai";
import OpenAI, { APIUserAbortError, BadRequestError, InternalServerError, toFile } from "openai";
import type { TestGateway } from "../gateway.testkit.ts";
import { speechProviders } from "./speech.testkit.ts";
import { spoken, spokenScript, startTranscriptionGateway, transcriberAt } from "./transcription.testkit.ts";

/** The official SDKs, with another base URL and key. */

let gateway: TestGateway;
let client: OpenAI;
beforeAll(async () => {
  gateway = await startTranscriptionGateway();
  client = new OpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key, maxRetries: 0 });
});
afterAll(() => gateway.stop());

const text = "The quick brown fox.";
const file = (sound = spoken(text)) => toFile(sound, "fox.wav");

describe.each(speechProviders)("%s", (provider) => {
  const model = transcriberAt(provider);

  test("openai: JSON and text", async () => {
    const answer = await client.audio.transcriptions.create({ model, file: await file() });
    expect(answer.text).toBe(text);
    const plain = await client.audio.transcriptions.create({ model, file: await file(), response_format: "text" });
    expect(plain).toBe(`${text}\n`);
  });

  test("openai: events", async () => {
    const stream = await client.audio.transcriptions.create({ model, file: await file(), stream: true });
    let heard = "";
    let last = "";
    for await (const event of stream) {
      if (event.type === "transcript.text.delta") heard += event.delta;
      if (event.type === "transcript.text.done") last = event.text;
    }
    expect([heard, last]).toEqual([text, text]);
  });

  test("AI SDK: transcribe", async () => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const answer = await transcribe({ model: openai.transcription(model), audio: spoken(text) });
    expect(answer.text).toBe(text);
  });
});

describe.each(["openai", "elevenlabs", "deepgram"] as const)("with times: %s", (provider) => {
  const model = transcriberAt(provider);

  test("openai: subtitles, and times", async () => {
    const { transcriptions } = client.audio;
    expect(await transcriptions.create({ model, file: await file(), response_format: "srt" })).toContain("-->");
    expect(await transcriptions.create({ model, file: await file(), response_format: "vtt" })).toStartWith("WEBVTT");
    const verbose = await transcriptions.create({
      model,
      file: await file(),
      response_format: "verbose_json",
      timestamp_granularities: ["word", "segment"],
    });
    expect(verbose.words?.map(({ word }) => word)).toEqual(text.split(" "));
    expect(verbose.segments?.map((segment) => segment.text.trim())).toEqual([text]);
    expect(verbose.duration).toBeCloseTo(1.05, 2);
  });

  test("AI SDK: transcribe with segments", async () => {
    const openai = createOpenAI({ baseURL: `${gateway.url}/v1`, apiKey: gateway.key });
    const answer = await transcribe({
      model: openai.transcription(model),
      audio: spoken(text),
      providerOptions: { openai: { responseFormat: "verbose_json", timestampGranularities: ["word", "segment"] } },
    });
    expect(answer).toMatchObject({ text, language: "en", durationInSeconds: 1.05 });
    expect(answer.segments).not.toBeEmpty();
  });
});

test.each(["openai", "gemini"] as const)("openai: translations through %s", async (provider) => {
  const model = transcriberAt(provider);
  expect(await client.audio.translations.create({ model, file: await file() })).toMatchObject({ text });
});

test("openai: speakers of a provider that has them", async () => {
  const model = transcriberAt("openai");
  const answer = await client.audio.transcriptions.create({
    model,
    file: await file(),
    response_format: "diarized_json",
    chunking_strategy: "auto",
  });
  expect(answer).toMatchObject({ text, segments: [{ speaker: "A" }] });
});

describe("errors", () => {
  const model = transcriberAt("openai");

  test("have the SDK's classes", async () => {
    const bad = client.audio.transcriptions.create({ model, file: await file(), temperature: 9 });
    expect(await bad.then(null, (error: unknown) => error)).toBeInstanceOf(BadRequestError);
    const sound = spokenScript({ fault: { kind: "status", status: 500 } });
    const failed = client.audio.transcriptions.create({ model, file: await file(sound) });
    expect(await failed.then(null, (error: unknown) => error)).toBeInstanceOf(InternalServerError);
  });

  test("a caller may leave", async () => {
    const controller = new AbortController();
    const sound = spokenScript({ latency_ms: 20_000 });
    const asked = client.audio.transcriptions.create({ model, file: await file(sound) }, { signal: controller.signal });
    setTimeout(() => controller.abort(), 20);
    expect(await asked.then(null, (error: unknown) => error)).toBeInstanceOf(APIUserAbortError);
  });
});

test("the catalog tells that the sandbox's model transcribes", async () => {
  const catalog = (await (await gateway.fetch("/api/models/catalog")).json()) as { data: { id: string }[] };
  expect(catalog.data.find(({ id }) => id === "sandbox-transcription")).toMatchObject({
    supported_endpoint_types: ["audio_transcriptions", "audio_translations"],
    input_modalities: ["audio"],
    pricing: [{ dimension: "second", unit_microusd: 100 }],
  });
});

test("what the sandbox has said, it transcribes", async () => {
  const said = await client.audio.speech.create({
    model: "sandbox-speech",
    voice: "alloy",
    input: text,
    response_format: "mp3",
  });
  const answer = await client.audio.transcriptions.create({
    model: "sandbox-transcription",
    file: await toFile(await said.bytes(), "fox.mp3"),
  });
  expect(answer.text).toBe(text);
});
