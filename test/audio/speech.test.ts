import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createSoundMeter } from "../../src/dialects/sound/create-meter.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import {
  modelAt,
  providersAt,
  scripted,
  speak,
  speechModel,
  speechProviders,
  startSpeechGateway,
  voices,
} from "./speech.testkit.ts";

/** `POST /v1/audio/speech`, over the wire format of each provider that speaks. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startSpeechGateway(
    [
      speechModel("declared", ["openai"], {
        parameters: {
          voices: ["nova"],
          formats: ["wav"],
          max_characters: 20,
          instructions: false,
          speed: false,
          sse: false,
        },
      }),
      speechModel("long", ["openai"], { parameters: { max_characters: 5_000 } }),
      speechModel("whole-voice", ["deepgram"], {
        targets: [{ provider: "deepgram", model: "sandbox-2-thalia-en" }],
      }),
      speechModel("older-gemini", ["gemini"], {
        targets: [{ provider: "gemini", model: "gemini-2.5-flash-preview-tts" }],
      }),
      {
        id: "mute",
        endpoints: ["audio_speech"],
        targets: [{ provider: "mute", model: "m" }],
        prices: { character: 1 },
      },
      speechModel("either", ["gemini", "openai"]),
    ],
    { providers: (url) => [...providersAt(url), { id: "mute", dialects: ["anthropic-messages"], baseUrl: url }] },
  );
  gateway.sandbox.setModel("gemini-2.5-flash-preview-tts", {});
});
afterAll(() => gateway.stop());

const lastBody = () => JSON.parse(new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body)) as unknown;
const lastQuery = () =>
  Object.fromEntries(new URL(gateway.sandbox.requests.at(-1)?.path ?? "", "http://a").searchParams);

async function paramOf(response: Response): Promise<unknown> {
  const { error } = (await response.json()) as { error: { param: string; code: string; message: string } };
  return [response.status, error.param];
}

describe.each(speechProviders)("%s", (provider) => {
  const usual = { model: modelAt(provider), voice: voices[provider] };

  test.each(["wav", "pcm"])("speaks %s, with its type, its seconds and its record", async (format) => {
    const response = await speak(gateway, { ...usual, response_format: format });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, `audio/${format}`]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(response.headers.get("content-disposition")).toBe(`attachment; filename="speech.${format}"`);
    const bytes = await response.bytes();
    const meter = createSoundMeter(format === "wav" ? "wav" : "pcm");
    meter.push(bytes);
    // Two words of five letters: 0.25 seconds each, and a pause of 0.05 after each.
    expect(meter.seconds()).toBeCloseTo(0.6, 3);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      endpoint: "/v1/audio/speech",
      stream: false,
      usage: { measurement: null, dimensions: [{ name: "character", quantity: 11, unit: "character" }] },
      billing: { status: "charged", amount_microusd: 165 },
    });
  });

  test("sends events on request, whose sound is the same", async () => {
    const asked = { ...usual, response_format: "pcm" };
    const plain = await (await speak(gateway, asked)).bytes();
    const response = await speak(gateway, { ...asked, stream_format: "sse" });
    expect(response.headers.get("content-type")).toStartWith("text/event-stream");
    const events = (await response.text())
      .split("\n\n")
      .filter((event) => event.startsWith("data: "))
      .map((event) => JSON.parse(event.slice(6)) as { type: string; audio?: string; usage?: object });
    const sound = Buffer.concat(events.map(({ audio = "" }) => Buffer.from(audio, "base64")));
    expect(sound.equals(plain)).toBe(true);
    expect(events.at(-1)).toMatchObject({
      type: "speech.audio.done",
      usage: { input_tokens: expect.any(Number), output_tokens: expect.any(Number), total_tokens: expect.any(Number) },
    });
    expect(events.slice(0, -1).every(({ type }) => type === "speech.audio.delta")).toBe(true);
    const record = await gateway.record(idOf(response));
    expect(record).toMatchObject({ status: "succeeded", stream: true, billing: { amount_microusd: 165 } });
  });

  test("an error status is an error in OpenAI's form, and free", async () => {
    const input = scripted({ fault: { kind: "status", status: 500 } });
    const response = await speak(gateway, { ...usual, input, response_format: "wav" });
    expect(response.status).toBe(502);
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "failed",
      billing: { status: "refunded", amount_microusd: 0 },
    });
  });

  test.each<[string, object]>([
    ["HTML", { fault: { kind: "html", status: 200 } }],
    ["nothing", { fault: { kind: "empty_body" } }],
    ["an error in JSON", { fault: { kind: "error_body" } }],
  ])("%s in place of sound is no answer", async (_, script) => {
    const response = await speak(gateway, { ...usual, input: scripted(script), response_format: "wav" });
    expect(response.status).toBe(502);
    expect(await response.json()).toMatchObject({ error: { type: "upstream_error" } });
  });
});

describe("MP3", () => {
  test.each(["openai", "elevenlabs", "deepgram"] as const)("is what %s speaks unless told", async (provider) => {
    const response = await speak(gateway, { model: modelAt(provider), voice: voices[provider] });
    expect(response.headers.get("content-type")).toBe("audio/mpeg");
    const meter = createSoundMeter("mp3");
    meter.push(await response.bytes());
    expect(meter.seconds()).toBeCloseTo(0.6, 1);
  });

  test("is not what Gemini speaks: WAV unless told, and a 400 that names the field", async () => {
    const usual = { model: modelAt("gemini"), voice: "Kore" };
    expect((await speak(gateway, usual)).headers.get("content-type")).toBe("audio/wav");
    const refused = await speak(gateway, { ...usual, response_format: "mp3" });
    expect(await paramOf(refused)).toEqual([400, "response_format"]);
  });

  test("leads to the next target if the first cannot speak it", async () => {
    const response = await speak(gateway, { model: "either", response_format: "mp3" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "audio/mpeg"]);
    expect(await gateway.record(idOf(response))).toMatchObject({ routing: { chose_provider: "openai" } });
  });
});

describe("a bad request", () => {
  test.each<[string, object, string]>([
    ["no model", { model: null }, "model"],
    ["no text", { input: null }, "input"],
    ["an empty text", { input: " " }, "input"],
    ["a text that is none", { input: 5 }, "input"],
    ["too long a text", { input: "a".repeat(4_097) }, "input"],
    ["no voice", { voice: null }, "voice"],
    ["a voice that is none", { voice: 5 }, "voice"],
    ["a voice without an id", { voice: {} }, "voice.id"],
    ["a voice with a control character", { voice: "a\u0000b" }, "voice"],
    ["instructions that are none", { instructions: 5 }, "instructions"],
    ["too long instructions", { instructions: "a".repeat(4_097) }, "instructions"],
    ["a format that is none", { response_format: 5 }, "response_format"],
    ["a format that is no word", { response_format: "../mp3" }, "response_format"],
    ["a speed below the least", { speed: 0.2 }, "speed"],
    ["a speed above the greatest", { speed: 4.1 }, "speed"],
    ["a speed that is none", { speed: "1" }, "speed"],
    ["an unknown stream format", { stream_format: "ws" }, "stream_format"],
    ["a name in another case", { Voice: "alloy" }, "Voice"],
  ])("%s is a 400 that names the field", async (_, body, param) => {
    const calls = gateway.sandbox.requests.length;
    expect(await paramOf(await speak(gateway, body))).toEqual([400, param]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test.each<[string, object, string]>([
    ["a voice", { voice: "alloy" }, "voice"],
    ["a format", { response_format: "mp3" }, "response_format"],
    ["a longer text", { input: "a".repeat(21) }, "input"],
    ["instructions", { instructions: "Whisper." }, "instructions"],
    ["another speed", { speed: 2 }, "speed"],
    ["events", { stream_format: "sse" }, "stream_format"],
  ])("%s that the model has not declared is a 400 that names the field", async (_, body, param) => {
    const response = await speak(gateway, { model: "declared", voice: "nova", response_format: "wav", ...body });
    expect(await paramOf(response)).toEqual([400, param]);
  });

  test("a model may declare more characters than OpenAI has, and counts code points", async () => {
    const input = "😀".repeat(4_096);
    expect((await speak(gateway, { input, response_format: "pcm" })).status).toBe(200);
    const longer = await speak(gateway, { model: "long", input: "a".repeat(4_097), response_format: "pcm" });
    // The sandbox has OpenAI's limit, and says so in its own words.
    expect(await paramOf(longer)).toEqual([400, "input"]);
  });

  test("a provider that cannot speak is a 400", async () => {
    expect(await paramOf(await speak(gateway, { model: "mute" }))).toEqual([400, "model"]);
  });

  test("a model without speech is a 400, and a model with speech alone does not chat", async () => {
    expect(await paramOf(await speak(gateway, { model: "sandbox-chat" }))).toEqual([400, "model"]);
    expect(await paramOf(await gateway.chat({ model: modelAt("openai") }))).toEqual([400, "model"]);
  });
});

describe("what is sent", () => {
  test("an OpenAI-shaped server gets the body as it was written, and fields that the gateway does not know", async () => {
    await speak(gateway, { instructions: "Whisper.", speed: 1.5, voice: { id: "voice_1" }, sandbox: {} });
    expect(lastBody()).toEqual({
      model: "sandbox-speech",
      voice: { id: "voice_1" },
      input: "Hello world",
      instructions: "Whisper.",
      speed: 1.5,
      sandbox: {},
    });
  });

  test("ElevenLabs gets its own words, and the caller is told what is left out", async () => {
    const response = await speak(gateway, {
      model: modelAt("elevenlabs"),
      voice: "a b/c",
      instructions: "Whisper.",
      speed: 1.1,
      response_format: "pcm",
      emotion: "happy",
    });
    expect(gateway.sandbox.requests.at(-1)?.path).toBe("/v1/text-to-speech/a%20b%2Fc/stream?output_format=pcm_24000");
    expect(gateway.sandbox.requests.at(-1)?.headers["xi-api-key"]).toBe("a-key");
    expect(lastBody()).toEqual({ text: "Hello world", model_id: "sandbox-eleven", voice_settings: { speed: 1.1 } });
    expect(response.headers.get("x-service-warnings")).toBe("instructions, emotion");
  });

  test.each([".", ".."])("ElevenLabs is not asked at another path by the voice %j", async (voice) => {
    const calls = gateway.sandbox.requests.length;
    expect(await paramOf(await speak(gateway, { model: modelAt("elevenlabs"), voice }))).toEqual([400, "voice"]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test("Deepgram gets the voice as a part of its model", async () => {
    const response = await speak(gateway, {
      model: modelAt("deepgram"),
      voice: "celeste-es",
      speed: 0.9,
      response_format: "wav",
    });
    expect(response.status).toBe(200);
    expect(gateway.sandbox.requests.at(-1)?.headers["authorization"]).toBe("Token a-key");
    expect(lastQuery()).toEqual({
      model: "sandbox-celeste-es",
      encoding: "linear16",
      container: "wav",
      sample_rate: "24000",
      speed: "0.9",
    });
    expect((await speak(gateway, { model: "whole-voice", voice: "thalia" })).status).toBe(200);
    expect(await paramOf(await speak(gateway, { model: "whole-voice", voice: "alloy" }))).toEqual([400, "voice"]);
  });

  test("Gemini is told how to speak before the text, or by its style", async () => {
    const asked = { voice: "Kore", instructions: "Say cheerfully", response_format: "pcm" };
    await speak(gateway, { ...asked, model: "older-gemini" });
    expect(lastBody()).toMatchObject({ contents: [{ parts: [{ text: "Say cheerfully: Hello world" }] }] });
    await speak(gateway, { ...asked, model: modelAt("gemini") });
    expect(lastBody()).toEqual({
      contents: [{ role: "user", parts: [{ text: "Hello world", speechMetadata: { style: "Say cheerfully" } }] }],
      generationConfig: {
        responseModalities: ["AUDIO"],
        speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
        responseFormat: { audio: { mimeType: "AUDIO_L16" } },
      },
    });
  });

  test.each<[string, object, string]>([
    ["elevenlabs", { response_format: "flac" }, "response_format"],
    ["elevenlabs", { speed: 2 }, "speed"],
    ["deepgram", { speed: 0.5 }, "speed"],
    ["deepgram", { input: "a".repeat(2_001) }, "input"],
    ["deepgram", { voice: { id: "thalia" } }, "voice.id"],
    ["deepgram", { voice: "Not A Voice" }, "voice"],
    ["gemini", { speed: 1.5 }, "speed"],
    ["gemini", { response_format: "opus" }, "response_format"],
    ["gemini", { response_format: "ulaw" }, "response_format"],
  ])("%s is not asked for what it cannot do: %o", async (provider, body, param) => {
    const calls = gateway.sandbox.requests.length;
    const response = await speak(gateway, { model: `speech-${provider}`, voice: "thalia", ...body });
    expect(await paramOf(response)).toEqual([400, param]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test("the usual speed is no wish", async () => {
    const response = await speak(gateway, { model: modelAt("gemini"), voice: "Kore", speed: 1 });
    expect(response.status).toBe(200);
  });
});

describe("a provider's refusal", () => {
  test("of a voice is the caller's error, and names it", async () => {
    const response = await speak(gateway, { model: modelAt("elevenlabs"), voice: "unknown-1" });
    expect(await paramOf(response)).toEqual([400, "voice"]);
  });

  test("names OpenAI's field", async () => {
    expect(await paramOf(await speak(gateway, { voice: "nobody" }))).toEqual([400, "voice"]);
  });
});
