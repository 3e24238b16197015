import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { spoken } from "../audio/transcription.testkit.ts";
import { chatAnswer } from "./answers.testkit.ts";
import type { Behaviour } from "./hostile-provider.testkit.ts";
import { maxStall, printReports, startWatchedGateway, type WatchedGateway } from "./watched-gateway.testkit.ts";

/** Six hours of speech: 60,000 words with their times, in every form, hold up no other request. */

const count = 60_000;
const saidWords = Array.from({ length: count }, (_, index) => (index % 12 === 11 ? `word${index}.` : `word${index}`));
const times = (index: number) => ({ start: Math.round(index * 35) / 100, end: Math.round(index * 35 + 30) / 100 });
const seconds = count * 0.35;
const text = saidWords.join(" ");

const json =
  (answer: object): Behaviour =>
  (response) =>
    void response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));

const behaviours = {
  openai: json({
    task: "transcribe",
    language: "english",
    duration: seconds,
    text,
    words: saidWords.map((word, index) => ({ word, ...times(index) })),
    segments: saidWords.map((word, index) => ({ id: index, seek: 0, ...times(index), text: word, tokens: [index] })),
  }),
  deepgram: json({
    metadata: { duration: seconds, channels: 1 },
    results: {
      channels: [
        {
          alternatives: [
            {
              transcript: text,
              confidence: 0.9,
              words: saidWords.map((word, index) => ({
                word,
                ...times(index),
                confidence: 0.999_023_437_5,
                speaker: Math.floor(index / 40) % 3,
                punctuated_word: word,
              })),
            },
          ],
        },
      ],
    },
  }),
  elevenlabs: json({
    language_code: "eng",
    text,
    audio_duration_secs: seconds,
    words: saidWords.flatMap((word, index) => {
      const speaker = `speaker_${Math.floor(index / 40) % 3}`;
      const entry = { ...times(index), logprob: -0.123, speaker_id: speaker };
      return [
        { text: word, type: "word", ...entry },
        { text: " ", type: "spacing", ...entry },
      ];
    }),
  }),
};

describe.skipIf(process.platform !== "linux")("a transcript of 60,000 words", () => {
  let gateway: WatchedGateway;
  beforeAll(async () => {
    const model = { endpoints: ["audio_transcriptions"], prices: { second: 0.0001 } };
    gateway = await startWatchedGateway({
      models: {
        good: { dialect: "openai-chat", behave: chatAnswer("openai-chat") },
        openai: { dialect: "openai-chat", behave: behaviours.openai, model },
        deepgram: { dialect: "deepgram", behave: behaviours.deepgram, model },
        elevenlabs: { dialect: "elevenlabs", behave: behaviours.elevenlabs, model },
      },
    });
    for (let round = 0; round < 60; round++) await (await gateway.chat({ model: "good" })).text();
  });
  afterAll(async () => {
    printReports();
    await gateway.stop();
  });

  async function ask(fields: Readonly<Record<string, string>>): Promise<{ status: number; text: string }> {
    const form = new FormData();
    for (const [name, value] of Object.entries(fields)) form.append(name, value);
    form.append("file", new Blob([spoken()], { type: "audio/wav" }), "a.wav");
    const request = new Response(form);
    const headers = { "content-type": request.headers.get("content-type") ?? "" };
    const response = await gateway.post("/v1/audio/transcriptions", await request.bytes(), headers);
    return { status: response.status, text: await response.text() };
  }

  const last = saidWords.at(-1) ?? "";
  const word = { response_format: "verbose_json", "timestamp_granularities[]": "word" };
  test.each<[model: keyof typeof behaviours, fields: Readonly<Record<string, string>>]>([
    ["openai", word],
    ["openai", { stream: "true" }],
    ["deepgram", word],
    ["deepgram", { response_format: "verbose_json" }],
    ["deepgram", { response_format: "diarized_json" }],
    ["deepgram", { response_format: "diarized_json", stream: "true" }],
    ["elevenlabs", word],
    ["elevenlabs", { response_format: "vtt" }],
    ["elevenlabs", { response_format: "json" }],
  ])("%s: %o", async (model, fields) => {
    let answer = { status: 0, text: "" };
    const name = `transcript: ${model}, ${Object.values(fields).join(", ")}`;
    const { stall } = await gateway.attack(name, async () => {
      answer = await ask({ model, ...fields });
    });
    expect([answer.status, answer.text.slice(0, 200)]).toEqual([200, expect.anything()]);
    expect(answer.text).toContain(last);
    if (fields === word) {
      const { words } = JSON.parse(answer.text) as { words: readonly { word: string }[] };
      expect(words.map((each) => each.word)).toEqual(saidWords);
    }
    expect(stall).toBeLessThan(maxStall);
  });
});
