import { afterAll, beforeAll, expect, test } from "bun:test";
import OpenAI from "openai";
import { GoogleGenAI } from "@google/genai";
import { type Sandbox, startSandbox } from "../server.ts";

/** Speech in the wire format of each vendor. */

let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox();
});
afterAll(() => sandbox.stop());

const json = { "content-type": "application/json" };
const post = (path: string, body: object, headers: Record<string, string> = {}) =>
  fetch(sandbox.url + path, { method: "POST", headers: { ...json, ...headers }, body: JSON.stringify(body) });

const text = "Hello world";
/** Two words of 0.25 seconds, each with a pause of 0.05, at 48,000 bytes a second. */
const sampleBytes = 0.6 * 48_000;

test("the same text always sounds the same, and another one otherwise", async () => {
  const client = new OpenAI({ apiKey: "any", baseURL: `${sandbox.url}/v1`, maxRetries: 0 });
  const speak = async (input: string) =>
    (
      await client.audio.speech.create({ model: "sandbox-speech", voice: "alloy", input, response_format: "pcm" })
    ).bytes();
  const [first, again, other] = [await speak(text), await speak(text), await speak("World hello")];
  expect(first.length).toBe(sampleBytes);
  expect(Buffer.from(again).equals(first)).toBe(true);
  expect(Buffer.from(other).equals(first)).toBe(false);
  // A tone swings around silence.
  const samples = new Int16Array(first.slice().buffer);
  expect(Math.max(...samples)).toBeGreaterThan(7_000);
  expect(Math.min(...samples)).toBeLessThan(-7_000);
});

test("MP3 is made of frames of one size, each with its sync word", async () => {
  const response = await post("/v1/audio/speech", { model: "sandbox-speech", voice: "alloy", input: text });
  expect(response.headers.get("content-type")).toBe("audio/mpeg");
  const bytes = await response.bytes();
  expect(bytes.length % 96).toBe(0);
  for (let at = 0; at < bytes.length; at += 96) expect([bytes[at], bytes[at + 1]]).toEqual([0xff, 0xf3]);
});

test("Google's SDK gets samples in base64", async () => {
  const client = new GoogleGenAI({ apiKey: "any", httpOptions: { baseUrl: sandbox.url } });
  sandbox.setModel("gemini-2.5-flash-preview-tts", {});
  const answer = await client.models.generateContent({
    model: "gemini-2.5-flash-preview-tts",
    contents: text,
    config: {
      responseModalities: ["AUDIO"],
      speechConfig: { voiceConfig: { prebuiltVoiceConfig: { voiceName: "Kore" } } },
    },
  });
  const part = answer.candidates?.[0]?.content?.parts?.[0]?.inlineData;
  expect(part?.mimeType).toBe("audio/L16;codec=pcm;rate=24000");
  expect(Buffer.from(part?.data ?? "", "base64").length).toBe(sampleBytes);
  expect(answer.usageMetadata?.candidatesTokenCount).toBe(15);
});

const eleven = { "xi-api-key": "a" };
const deepgram = { authorization: "Token a" };

test.each<[string, string, object, Record<string, string>, number, object]>([
  ["OpenAI: no voice", "/v1/audio/speech", { model: "sandbox-a", input: text }, {}, 400, { error: { param: "voice" } }],
  [
    "OpenAI: an unknown field",
    "/v1/audio/speech",
    { model: "sandbox-a", input: text, voice: "alloy", x: 1 },
    {},
    400,
    { error: { param: "x" } },
  ],
  [
    "OpenAI: a format that the sandbox has not",
    "/v1/audio/speech",
    { model: "sandbox-a", input: text, voice: "alloy", response_format: "opus" },
    {},
    400,
    { error: { param: "response_format" } },
  ],
  [
    "ElevenLabs: no key",
    "/v1/text-to-speech/a/stream",
    { text },
    {},
    401,
    { detail: { status: "needs_authorization" } },
  ],
  [
    "ElevenLabs: a wrong key",
    "/v1/text-to-speech/a",
    { text },
    { "xi-api-key": "wrong" },
    401,
    { detail: { status: "invalid_api_key" } },
  ],
  ["ElevenLabs: no text", "/v1/text-to-speech/a", {}, eleven, 422, { detail: [{ loc: ["body", "text"] }] }],
  [
    "ElevenLabs: a speed beyond its range",
    "/v1/text-to-speech/a",
    { text, voice_settings: { speed: 2 } },
    eleven,
    422,
    { detail: [{ loc: ["body", "speed"] }] },
  ],
  [
    "ElevenLabs: an unknown setting",
    "/v1/text-to-speech/a",
    { text, voice_settings: { pitch: 2 } },
    eleven,
    422,
    { detail: [{ loc: ["body", "pitch"] }] },
  ],
  [
    "ElevenLabs: an unknown format",
    "/v1/text-to-speech/a?output_format=mp3",
    { text },
    eleven,
    422,
    { detail: [{ loc: ["body", "output_format"] }] },
  ],
  [
    "ElevenLabs: an unknown voice",
    "/v1/text-to-speech/unknown-1",
    { text },
    eleven,
    404,
    { detail: { status: "voice_not_found" } },
  ],
  ["Deepgram: another scheme", "/v1/speak", { text }, { authorization: "Bearer a" }, 401, { err_code: "INVALID_AUTH" }],
  [
    "Deepgram: an unknown parameter",
    "/v1/speak?voice=a",
    { text },
    deepgram,
    400,
    { err_code: "INVALID_QUERY_PARAMETER" },
  ],
  [
    "Deepgram: a container that the encoding has not",
    "/v1/speak?encoding=mp3&container=wav",
    { text },
    deepgram,
    400,
    { err_code: "UNSUPPORTED_AUDIO_FORMAT" },
  ],
  [
    "Deepgram: a rate that cannot be set",
    "/v1/speak?encoding=mp3&sample_rate=24000",
    { text },
    deepgram,
    400,
    { err_code: "UNSUPPORTED_AUDIO_FORMAT" },
  ],
  ["Deepgram: more than a text", "/v1/speak", { text, voice: "a" }, deepgram, 400, { err_code: "PAYLOAD_ERROR" }],
  ["Deepgram: too long a text", "/v1/speak", { text: "a".repeat(2_001) }, deepgram, 413, { err_code: "PAYLOAD_ERROR" }],
])("%s is refused", async (_, path, body, headers, status, expected) => {
  const response = await post(path, body, headers);
  expect([response.status, await response.json()]).toMatchObject([status, expected]);
});
