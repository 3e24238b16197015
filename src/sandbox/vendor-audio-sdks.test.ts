import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { DeepgramClient } from "@deepgram/sdk";
import { ElevenLabsClient, ElevenLabsError } from "@elevenlabs/elevenlabs-js";
import { hear } from "./sound/hear.ts";
import { type Sandbox, startSandbox } from "./server.ts";
import { writeSound } from "./sound/write-sound.ts";

/** The vendors' own clients hold the sandbox to their wire formats: what they send it takes, and what it sends they read. */

let sandbox: Sandbox;
let elevenlabs: ElevenLabsClient;
let deepgram: DeepgramClient;
beforeAll(async () => {
  sandbox = await startSandbox();
  elevenlabs = new ElevenLabsClient({ baseUrl: sandbox.url, apiKey: "a-key", maxRetries: 0 });
  deepgram = new DeepgramClient({ baseUrl: sandbox.url, apiKey: "a-key", maxRetries: 0 });
});
afterAll(() => sandbox.stop());

const text = "Hello brave new world.";
const sound = () => Uint8Array.from(Buffer.concat([...writeSound(text, "wav").parts]));

const bytesOf = async (stream: ReadableStream<Uint8Array> | null) => new Response(stream).bytes();

describe("ElevenLabs", () => {
  const voice = "JBFqnCBsd6RMkjVDRZzb";

  test("speaks, whole and streamed, with all that its client may send", async () => {
    const asked = {
      text,
      modelId: "sandbox-eleven",
      outputFormat: "pcm_24000" as const,
      languageCode: "en",
      voiceSettings: { stability: 0.5, similarityBoost: 0.75, style: 0, useSpeakerBoost: true, speed: 1.1 },
      seed: 1,
      previousText: "a",
      nextText: "b",
      previousRequestIds: ["a"],
      nextRequestIds: ["b"],
      usePvcAsIvc: false,
      applyTextNormalization: "auto" as const,
      applyLanguageTextNormalization: false,
      pronunciationDictionaryLocators: [{ pronunciationDictionaryId: "a", versionId: "b" }],
      enableLogging: false,
    };
    for (const speak of ["convert", "stream"] as const) {
      const bytes = await bytesOf(await elevenlabs.textToSpeech[speak](voice, asked));
      expect(hear(bytes).text).toBe(text);
      expect(sandbox.requests.at(-1)?.headers["xi-api-key"]).toBe("a-key");
    }
  });

  test("transcribes, with all that its client may send", async () => {
    const answer = await elevenlabs.speechToText.convert({
      modelId: "sandbox-scribe",
      file: sound(),
      languageCode: "en",
      tagAudioEvents: false,
      timestampsGranularity: "word",
      temperature: 0,
      seed: 1,
      numSpeakers: 1,
      diarize: true,
      fileFormat: "other",
      webhook: false,
      useMultiChannel: false,
      keyterms: ["brave"],
      noVerbatim: true,
      enableLogging: false,
    });
    if (!("words" in answer)) throw new Error("No words.");
    expect(answer).toMatchObject({ text, languageCode: "eng", languageProbability: 0.98, audioDurationSecs: 1.15 });
    const words = answer.words.filter(({ type }) => type === "word");
    expect(words.map((word) => [word.text, word.start, word.end])).toEqual([
      ["Hello", 0, 0.25],
      ["brave", 0.3, 0.55],
      ["new", 0.6, 0.75],
      ["world.", 0.8, 1.1],
    ]);
    expect(answer.words.filter(({ type }) => type === "spacing")).toHaveLength(3);
  });

  test.each<[string, () => Promise<unknown>, number]>([
    ["an unknown voice", () => elevenlabs.textToSpeech.convert("unknown-1", { text }), 404],
    [
      "a speed beyond the range",
      () => elevenlabs.textToSpeech.convert(voice, { text, voiceSettings: { speed: 2 } }),
      422,
    ],
    ["a transcript without a file", () => elevenlabs.speechToText.convert({ modelId: "sandbox-scribe" }), 422],
    [
      "a language that is none",
      () => elevenlabs.speechToText.convert({ modelId: "sandbox-scribe", file: sound(), languageCode: "English" }),
      422,
    ],
  ])("refuses %s", async (_, ask, statusCode) => {
    const error = await ask().then(null, (thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ElevenLabsError);
    expect(error).toMatchObject({ statusCode, body: { detail: expect.anything() } });
  });

  test("lists its models", async () => {
    const models = await elevenlabs.models.list();
    expect(models.map(({ modelId }) => modelId)).toContain("sandbox-speech");
  });
});

describe("Deepgram", () => {
  test("speaks, with all that its client may send", async () => {
    const answer = await deepgram.speak.v1.audio.generate({
      text,
      model: "sandbox-thalia-en",
      encoding: "linear16",
      container: "wav",
      sample_rate: 24_000,
      speed: 1,
      tag: ["a", "b"],
      mip_opt_out: true,
    });
    expect(hear(new Uint8Array(await answer.arrayBuffer())).text).toBe(text);
    expect(sandbox.requests.at(-1)?.headers["authorization"]).toBe("Token a-key");
  });

  test("transcribes, with all that its client may send", async () => {
    const answer = await deepgram.listen.v1.media.transcribeFile(sound(), {
      model: "sandbox-nova",
      detect_language: true,
      smart_format: true,
      punctuate: true,
      diarize: true,
      utterances: true,
      utt_split: 0.8,
      paragraphs: true,
      filler_words: true,
      keyterm: ["brave", "new"],
      tag: "a",
      mip_opt_out: true,
    });
    if (!("results" in answer)) throw new Error("No results.");
    expect(answer.metadata).toMatchObject({ duration: 1.15, channels: 1, sha256: expect.any(String) });
    const [channel] = answer.results.channels;
    expect(channel).toMatchObject({ detected_language: "en", alternatives: [{ transcript: text, confidence: 0.9 }] });
    expect(channel?.alternatives?.[0]?.words?.at(-1)).toMatchObject({ word: "world", punctuated_word: "world." });
  });

  test("lists its models", async () => {
    const { stt, tts } = await deepgram.manage.v1.models.list();
    for (const models of [stt, tts]) expect(models?.map((model) => model.canonical_name)).toContain("sandbox-speech");
  });

  test("refuses what is not its own", async () => {
    const other = new DeepgramClient({ baseUrl: sandbox.url, apiKey: "wrong-key", maxRetries: 0 });
    const asked = other.listen.v1.media.transcribeFile(sound(), { model: "sandbox-nova" });
    expect(await asked.then(null, (error: unknown) => error)).toMatchObject({
      statusCode: 401,
      body: { err_code: "INVALID_AUTH" },
    });
    const both = deepgram.listen.v1.media.transcribeFile(sound(), { detect_language: true, language: "en" });
    expect(await both.then(null, (error: unknown) => error)).toMatchObject({ statusCode: 400 });
    const long = deepgram.speak.v1.audio.generate({ text: "a".repeat(2_001), model: "sandbox-thalia-en" });
    expect(await long.then(null, (error: unknown) => error)).toMatchObject({ statusCode: 413 });
  });
});
