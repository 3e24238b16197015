import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { type SpeechProviderName, speechProviders } from "./speech.testkit.ts";
import {
  eventsOf,
  paramOf,
  spoken,
  spokenScript,
  startTranscriptionGateway,
  transcribe,
  transcriberAt,
  transcriptionModel,
} from "./transcription.testkit.ts";

/** Transcripts through each provider: formats, fields, refusals. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTranscriptionGateway(
    [
      transcriptionModel("declared", ["openai"], {
        parameters: {
          languages: ["en", "de"],
          formats: ["json", "text"],
          max_file_bytes: 40_000,
          prompt: false,
          temperature: false,
          streaming: false,
          timestamp_granularities: false,
        },
      }),
      transcriptionModel("either", ["gemini", "openai"]),
      transcriptionModel("deaf", [], { targets: [{ provider: "deaf", model: "claude" }] }),
    ],
    {
      providers: (url) => [
        ...providersOf(url),
        { id: "deaf", dialects: ["anthropic-messages"], baseUrl: url, apiKeys: ["a-key"] },
      ],
    },
  );
});
afterAll(() => gateway.stop());

function providersOf(url: string) {
  const root = url.replace(/\/v1$/, "");
  return speechProviders.map((id) => ({
    id,
    dialects: [id === "openai" ? "openai-chat" : id],
    baseUrl: id === "openai" ? url : root,
    apiKeys: ["a-key"],
  }));
}

const text = "Hello brave new world.";
/** Words of 5, 5, 3 and 6 letters: 0.25, 0.25, 0.15 and 0.3 seconds, and a pause of 0.05 after each. */
const seconds = 1.15;
const timed = ["openai", "elevenlabs", "deepgram"] as const satisfies readonly SpeechProviderName[];

/** What is counted: OpenAI rounds seconds up, and Gemini counts tokens alone. */
const charged: Readonly<Record<SpeechProviderName, number>> = {
  openai: 2,
  elevenlabs: seconds,
  deepgram: seconds,
  gemini: seconds,
};

describe.each(speechProviders)("%s", (provider) => {
  const model = transcriberAt(provider);

  test("transcribes as JSON, with its usage and its record", async () => {
    const response = await transcribe(gateway, { model });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "application/json"]);
    expect(await response.json()).toMatchObject({
      text,
      usage: { type: provider === "gemini" ? "tokens" : "duration" },
    });
    const source = provider === "gemini" ? "local_estimate" : "provider";
    expect(await gateway.record(idOf(response))).toMatchObject({
      status: "succeeded",
      endpoint: "/v1/audio/transcriptions",
      stream: false,
      usage: {
        measurement: { input: source, output: source },
        dimensions: [{ name: "second", quantity: charged[provider], unit: "second" }],
      },
      billing: { status: "charged", amount_microusd: charged[provider] * 1_000 },
    });
  });

  test("transcribes as text", async () => {
    const response = await transcribe(gateway, { model, response_format: "text" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect(response.headers.get("x-content-type-options")).toBe("nosniff");
    expect(await response.text()).toBe(`${text}\n`);
    // OpenAI's texts report nothing.
    const quantity = provider === "openai" ? seconds : charged[provider];
    expect(await gateway.record(idOf(response))).toMatchObject({
      usage: { dimensions: [{ name: "second", quantity }] },
    });
  });

  test("transcribes as events", async () => {
    const response = await transcribe(gateway, { model, stream: true });
    expect([response.status, response.headers.get("content-type")]).toMatchObject([
      200,
      expect.stringContaining("text/event-stream"),
    ]);
    const events = eventsOf(await response.text());
    const deltas = events.filter(({ type }) => type === "transcript.text.delta");
    expect(deltas.map(({ delta }) => delta).join("")).toBe(text);
    expect(events.at(-1)).toMatchObject({ type: "transcript.text.done", text, usage: { type: expect.any(String) } });
    expect(await gateway.record(idOf(response))).toMatchObject({ status: "succeeded", stream: true });
  });

  test("hears MP3 too", async () => {
    const response = await transcribe(gateway, { model }, { sound: spoken(text, "mp3"), filename: "a.mp3" });
    expect(await response.json()).toMatchObject({ text });
  });

  test.each<[string, object]>([
    ["an error status", { fault: { kind: "status", status: 500 } }],
    ["HTML", { fault: { kind: "html", status: 200 } }],
    ["nothing", { fault: { kind: "empty_body" } }],
    ["an error in JSON", { fault: { kind: "error_body" } }],
    ["half of an answer", { fault: { kind: "truncated_json" } }],
  ])("%s in place of a transcript is an error, and free", async (_, script) => {
    // OpenAI's texts are looked at below: half of a text is a text.
    for (const format of provider === "openai" ? ["json"] : ["json", "text"]) {
      const sound = spokenScript(script);
      const response = await transcribe(gateway, { model, response_format: format }, { sound });
      expect(response.status).toBe(502);
      expect(await response.json()).toMatchObject({ error: { type: "upstream_error" } });
      expect(await gateway.record(idOf(response))).toMatchObject({
        status: "failed",
        billing: { status: "refunded", amount_microusd: 0 },
      });
    }
  });
});

describe("a text of OpenAI's form", () => {
  const asText = (fault: object, format = "text") =>
    transcribe(gateway, { response_format: format }, { sound: spokenScript({ fault }) });

  test.each([
    ["HTML", { kind: "html", status: 200 }],
    ["an error in JSON", { kind: "error_body" }],
  ])("%s is none", async (_, fault) => {
    for (const format of ["text", "srt", "vtt"]) expect((await asText(fault, format)).status).toBe(502);
  });

  test("may be empty, as that of silence is; WebVTT never is", async () => {
    const response = await asText({ kind: "empty_body" });
    expect([response.status, await response.text()]).toEqual([200, ""]);
    expect((await asText({ kind: "empty_body" }, "vtt")).status).toBe(502);
  });
});

describe.each(timed)("with times: %s", (provider) => {
  const model = transcriberAt(provider);

  test("SRT", async () => {
    const response = await transcribe(gateway, { model, response_format: "srt" });
    expect([response.status, response.headers.get("content-type")]).toEqual([200, "text/plain; charset=utf-8"]);
    expect((await response.text()).trim()).toBe(`1\n00:00:00,000 --> 00:00:01,100\n${text}`);
  });

  test("WebVTT", async () => {
    const response = await transcribe(gateway, { model, response_format: "vtt" });
    expect((await response.text()).trim()).toBe(`WEBVTT\n\n00:00:00.000 --> 00:00:01.100\n${text}`);
  });

  test("verbose JSON, with segments unless words are asked for", async () => {
    const plain = await transcribe(gateway, { model, response_format: "verbose_json" });
    const whole = (await plain.json()) as { segments: { text: string }[] };
    expect(whole).toMatchObject({ task: "transcribe", language: "english", duration: seconds, text });
    expect(whole).not.toHaveProperty("words");
    expect(whole.segments.map((segment) => segment.text.trim())).toEqual([text]);
    const worded = await transcribe(gateway, {
      model,
      response_format: "verbose_json",
      "timestamp_granularities[]": ["word"],
    });
    const words = (await worded.json()) as object;
    expect(words).not.toHaveProperty("segments");
    expect(words).toMatchObject({
      words: [
        { word: "Hello", start: 0, end: 0.25 },
        { word: "brave", start: 0.3, end: 0.55 },
        { word: "new", start: 0.6, end: 0.75 },
        { word: "world.", start: 0.8, end: 1.1 },
      ],
    });
    const both = await transcribe(gateway, {
      model,
      response_format: "verbose_json",
      // Also without the brackets.
      timestamp_granularities: ["word", "segment"],
    });
    expect(await both.json()).toMatchObject({ words: expect.any(Array), segments: expect.any(Array) });
  });
});

describe("translations", () => {
  const path = "/v1/audio/translations";

  test.each(["openai", "gemini"] as const)("through %s", async (provider) => {
    const response = await transcribe(gateway, { model: transcriberAt(provider) }, { path });
    expect(response.status).toBe(200);
    expect(await response.json()).toMatchObject({ text });
    expect(await gateway.record(idOf(response))).toMatchObject({ endpoint: path, billing: { status: "charged" } });
  });

  test.each(["elevenlabs", "deepgram"] as const)("%s has none, which is a 400", async (provider) => {
    expect(await paramOf(await transcribe(gateway, { model: transcriberAt(provider) }, { path }))).toEqual([
      400,
      "model",
    ]);
  });

  test("as verbose JSON are in English", async () => {
    const response = await transcribe(gateway, { response_format: "verbose_json" }, { path });
    expect(await response.json()).toMatchObject({ task: "translate", language: "english" });
  });

  test("know no speakers", async () => {
    const response = await transcribe(gateway, { response_format: "diarized_json" }, { path });
    expect(await paramOf(response)).toEqual([400, "response_format"]);
  });
});

describe("speakers", () => {
  const sound = spoken("Hello there. How are you? Fine.");
  const segments = [
    { type: "transcript.text.segment", id: "seg_001", text: "Hello there.", speaker: "A" },
    { type: "transcript.text.segment", id: "seg_002", text: "How are you?", speaker: "B" },
    { type: "transcript.text.segment", id: "seg_003", text: "Fine.", speaker: "A" },
  ];

  test.each(["deepgram", "elevenlabs"] as const)("of %s are told in OpenAI's form", async (provider) => {
    const fields = { model: transcriberAt(provider), response_format: "diarized_json" };
    const response = await transcribe(gateway, fields, { sound });
    expect(await response.json()).toMatchObject({
      task: "transcribe",
      text: "Hello there. How are you? Fine.",
      duration: expect.any(Number),
      segments: segments.map((segment) => expect.objectContaining(segment)),
      usage: { type: "duration" },
    });
  });

  test.each(["deepgram", "elevenlabs"] as const)("of %s are told as events", async (provider) => {
    const fields = { model: transcriberAt(provider), response_format: "diarized_json", stream: true };
    const events = eventsOf(await (await transcribe(gateway, fields, { sound })).text());
    expect(events.slice(0, 3)).toMatchObject(segments);
    expect(events.slice(3).map(({ type }) => type)).toEqual(["transcript.text.delta", "transcript.text.done"]);
  });
});

describe("a bad request", () => {
  test.each<[string, Readonly<Record<string, string | readonly string[] | null>>, string]>([
    ["no model", { model: null }, "model"],
    ["two models", { model: ["a", "b"] }, "model"],
    ["an unknown format", { response_format: "docx" }, "response_format"],
    ["a temperature above 1", { temperature: "1.1" }, "temperature"],
    ["a temperature below 0", { temperature: "-0.1" }, "temperature"],
    ["a temperature that is none", { temperature: "warm" }, "temperature"],
    ["a temperature in hexadecimal digits", { temperature: "0x1" }, "temperature"],
    ["another granularity", { "timestamp_granularities[]": ["word", "letter"] }, "timestamp_granularities"],
    ["a flag that is none", { stream: "maybe" }, "stream"],
    ["events of subtitles", { stream: "true", response_format: "srt" }, "stream"],
    ["a language that is none", { language: "the English one" }, "language"],
    ["five speakers", { "known_speaker_names[]": ["a", "b", "c", "d", "e"] }, "known_speaker_names"],
    ["a speaker without a sample", { "known_speaker_names[]": ["a"] }, "known_speaker_references"],
    ["a name in another case", { Response_Format: "text" }, "Response_Format"],
  ])("%s is a 400 that names the field", async (_, fields, param) => {
    const calls = gateway.sandbox.requests.length;
    expect(await paramOf(await transcribe(gateway, fields))).toEqual([400, param]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test.each<[string, Readonly<Record<string, string>>, string]>([
    ["a language", { language: "fr" }, "language"],
    ["a format", { response_format: "srt" }, "response_format"],
    ["a prompt", { prompt: "Names" }, "prompt"],
    ["a temperature", { temperature: "0.5" }, "temperature"],
    ["events", { stream: "true" }, "stream"],
    ["granularities", { "timestamp_granularities[]": "word" }, "timestamp_granularities"],
  ])("%s that the model has not declared is a 400 that names the field", async (_, fields, param) => {
    const sound = spoken("Short.");
    expect(await paramOf(await transcribe(gateway, { model: "declared", ...fields }, { sound }))).toEqual([400, param]);
  });

  test("a larger file than the model declares is a 400 that names it", async () => {
    expect(await paramOf(await transcribe(gateway, { model: "declared" }))).toEqual([400, "file"]);
    expect((await transcribe(gateway, { model: "declared", language: "de" }, { sound: spoken("Short.") })).status).toBe(
      200,
    );
  });

  test.each<[string, string]>([
    ["HTML", "<!DOCTYPE html><html><body>no</body></html>"],
    ["SVG", '<svg xmlns="http://www.w3.org/2000/svg"><script>alert(1)</script></svg>'],
    ["a text", "I am no sound at all, whatever my name says."],
    ["JSON", '{"audio": true}'],
    ["a picture", "\x89PNG\r\n\x1a\n0000"],
    ["an archive", "PK\x03\x04 and so on"],
    ["a document", "%PDF-1.7"],
  ])("%s under the name of sound is a 400", async (_, content) => {
    const sound = Uint8Array.from(Buffer.from(content, "latin1"));
    expect(await paramOf(await transcribe(gateway, {}, { sound }))).toEqual([400, "file"]);
  });

  test("no file, an empty one, two of them, and a text in its place are a 400", async () => {
    expect(await paramOf(await transcribe(gateway, {}, { sound: null }))).toEqual([400, "file"]);
    expect(await paramOf(await transcribe(gateway, {}, { sound: new Uint8Array(0) }))).toEqual([400, "file"]);
    expect(await paramOf(await transcribe(gateway, { file: "data:audio/wav;base64,AAAA" }, { sound: null }))).toEqual([
      400,
      "file",
    ]);
    const form = new FormData();
    form.set("model", transcriberAt("openai"));
    for (const name of ["a.wav", "b.wav"]) form.append("file", new Blob([spoken()]), name);
    const response = await gateway.fetch("/v1/audio/transcriptions", { method: "POST", body: form });
    expect(await paramOf(response)).toEqual([400, "file"]);
    const further = new FormData();
    further.set("model", transcriberAt("openai"));
    for (const name of ["file", "prompt"]) further.append(name, new Blob([spoken()]), "a.wav");
    expect(await paramOf(await gateway.fetch("/v1/audio/transcriptions", { method: "POST", body: further }))).toEqual([
      400,
      "prompt",
    ]);
  });

  test("a body that is no form is a 415", async () => {
    const response = await gateway.fetch("/v1/audio/transcriptions", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: "{}",
    });
    expect(response.status).toBe(415);
  });

  test("a provider that cannot transcribe is a 400, and so is a model without transcripts", async () => {
    expect(await paramOf(await transcribe(gateway, { model: "deaf" }))).toEqual([400, "model"]);
    expect(await paramOf(await gateway.chat({ model: transcriberAt("openai") }))).toEqual([400, "model"]);
  });
});

describe("what a provider cannot do", () => {
  test.each<[SpeechProviderName, Readonly<Record<string, string>>, string]>([
    ["gemini", { response_format: "diarized_json" }, "response_format"],
    ["elevenlabs", { "include[]": "logprobs" }, "include"],
    ["deepgram", { "include[]": "logprobs" }, "include"],
    ["gemini", { response_format: "srt" }, "response_format"],
    ["gemini", { response_format: "vtt" }, "response_format"],
    ["gemini", { response_format: "verbose_json" }, "response_format"],
    ["gemini", { "timestamp_granularities[]": "word" }, "timestamp_granularities"],
  ])("%s: %o is a 400 that names the field, without a call", async (provider, fields, param) => {
    const calls = gateway.sandbox.requests.length;
    expect(await paramOf(await transcribe(gateway, { model: transcriberAt(provider), ...fields }))).toEqual([
      400,
      param,
    ]);
    expect(gateway.sandbox.requests.length).toBe(calls);
  });

  test("leads to the next target", async () => {
    const response = await transcribe(gateway, { model: "either", response_format: "srt" });
    expect(response.status).toBe(200);
    await response.text();
    expect(await gateway.record(idOf(response))).toMatchObject({ routing: { chose_provider: "openai" } });
  });

  test("is told if it is left out", async () => {
    const response = await transcribe(gateway, {
      model: transcriberAt("deepgram"),
      prompt: "Names",
      temperature: "0.2",
      "chunking_strategy[type]": "server_vad",
      hotwords: "a",
    });
    expect(response.status).toBe(200);
    expect(response.headers.get("x-service-warnings")?.split(", ").toSorted()).toEqual([
      "chunking_strategy[type]",
      "hotwords",
      "prompt",
      "temperature",
    ]);
  });

  test("Gemini takes no larger file than fits into a request", async () => {
    const sound = new Uint8Array(14_000_001);
    sound.set(spoken());
    const response = await transcribe(gateway, { model: transcriberAt("gemini") }, { sound });
    expect(await paramOf(response)).toEqual([400, "file"]);
  });
});
