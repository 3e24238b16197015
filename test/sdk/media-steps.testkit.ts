import { expect } from "bun:test";
import { createOpenAI } from "@ai-sdk/openai";
import { GoogleGenAI } from "@google/genai";
import { generateImage, generateSpeech, transcribe } from "ai";
import OpenAI, { toFile } from "openai";
import { spoken } from "../audio/transcription.testkit.ts";
import type { TestGateway } from "../gateway.testkit.ts";
import { lookAt, png } from "../images/images.testkit.ts";
import { until } from "../until.testkit.ts";
import { mediaModel, type MediaProvider } from "./media-gateway.testkit.ts";

/** One method of an SDK. Rejects with the SDK's error, or if the answer is not as it should be. */
interface MediaStep {
  /** Absent: all. */
  readonly providers?: readonly MediaProvider[];
  readonly run: (gateway: TestGateway, provider: MediaProvider) => Promise<void>;
}

const text = "The quick brown fox.";
const prompt = "A red fox";
const voices: Readonly<Partial<Record<MediaProvider, string>>> = {
  elevenlabs: "JBFqnCBsd6RMkjVDRZzb",
  deepgram: "thalia",
  gemini: "Kore",
};
const voiceOf = (provider: MediaProvider) => voices[provider] ?? "alloy";

const openai = ({ url, key }: TestGateway) => new OpenAI({ baseURL: `${url}/v1`, apiKey: key, maxRetries: 0 });
const vercel = ({ url, key }: TestGateway) => createOpenAI({ baseURL: `${url}/v1`, apiKey: key });
const sound = () => toFile(spoken(text), "fox.wav");
const picture = () => toFile(png(), "image.png", { type: "image/png" });
const isWav = (bytes: Uint8Array) => Buffer.from(bytes.subarray(0, 4)).toString("latin1") === "RIFF";

/** Fal's and Replicate's models have two lengths of film, of which one is not OpenAI's. */
const secondsOf = (provider: MediaProvider) => (provider === "fal" || provider === "replicate" ? "5" : "4") as "4";

async function film(gateway: TestGateway, provider: MediaProvider): Promise<OpenAI.Videos.Video> {
  const { videos } = openai(gateway);
  return videos.create({
    model: mediaModel("video", provider),
    prompt,
    seconds: secondsOf(provider),
    size: "1280x720",
  });
}

async function finishedFilm(gateway: TestGateway, provider: MediaProvider): Promise<OpenAI.Videos.Video> {
  const { videos } = openai(gateway);
  let made = await film(gateway, provider);
  await until("the end of the film", async () => {
    made = await videos.retrieve(made.id);
    return made.status !== "queued" && made.status !== "in_progress";
  });
  expect(made.status).toBe("completed");
  return made;
}

export const mediaSteps: Readonly<Record<string, MediaStep>> = {
  "`openai` audio.speech.create": {
    async run(gateway, provider) {
      const asked = { model: mediaModel("speech", provider), voice: voiceOf(provider), input: text } as const;
      const answer = await openai(gateway).audio.speech.create({ ...asked, response_format: "wav" });
      expect(isWav(await answer.bytes())).toBe(true);
    },
  },
  "`openai` audio.speech.create, `stream_format: sse`": {
    async run(gateway, provider) {
      const asked = { model: mediaModel("speech", provider), voice: voiceOf(provider), input: text } as const;
      const answer = await openai(gateway).audio.speech.create({
        ...asked,
        response_format: "wav",
        stream_format: "sse",
      });
      const events = await answer.text();
      expect(events).toContain('"type":"speech.audio.delta"');
      expect(events).toContain('"type":"speech.audio.done"');
    },
  },
  "`openai` audio.transcriptions.create": {
    async run(gateway, provider) {
      const model = mediaModel("transcription", provider);
      const heard = await openai(gateway).audio.transcriptions.create({ model, file: await sound() });
      expect(heard.text).toBe(text);
    },
  },
  "`openai` audio.transcriptions.create, `stream: true`": {
    async run(gateway, provider) {
      const model = mediaModel("transcription", provider);
      const { transcriptions } = openai(gateway).audio;
      let heard = "";
      for await (const event of await transcriptions.create({ model, file: await sound(), stream: true })) {
        if (event.type === "transcript.text.delta") heard += event.delta;
      }
      expect(heard).toBe(text);
    },
  },
  "`openai` audio.transcriptions.create, `verbose_json`": {
    async run(gateway, provider) {
      const heard = await openai(gateway).audio.transcriptions.create({
        model: mediaModel("transcription", provider),
        file: await sound(),
        response_format: "verbose_json",
        timestamp_granularities: ["word"],
      });
      expect(heard.words?.map(({ word }) => word)).toEqual(text.split(" "));
    },
  },
  "`openai` audio.transcriptions.create, `diarized_json`": {
    async run(gateway, provider) {
      const model = mediaModel("transcription", provider);
      const asked = { model, file: await sound(), response_format: "diarized_json" } as const;
      const heard = await openai(gateway).audio.transcriptions.create(asked);
      expect(heard).toMatchObject({ text, segments: [{ text, speaker: "A" }] });
    },
  },
  "`openai` audio.translations.create": {
    async run(gateway, provider) {
      const model = mediaModel("transcription", provider);
      const heard = await openai(gateway).audio.translations.create({ model, file: await sound() });
      expect(heard).toMatchObject({ text });
    },
  },
  "`openai` images.generate": {
    async run(gateway, provider) {
      const model = mediaModel("image", provider);
      const { data } = await openai(gateway).images.generate({ model, prompt, response_format: "b64_json" });
      expect(lookAt(data?.[0]?.b64_json)).toMatch(/^(png|jpg|webp) \d+x\d+$/);
    },
  },
  "`openai` images.generate, `stream: true`": {
    async run(gateway, provider) {
      const model = mediaModel("image", provider);
      const types: string[] = [];
      for await (const { type } of await openai(gateway).images.generate({ model, prompt, stream: true })) {
        types.push(type);
      }
      expect(types.at(-1)).toBe("image_generation.completed");
    },
  },
  "`openai` images.edit": {
    async run(gateway, provider) {
      const model = mediaModel("edit", provider);
      const { data } = await openai(gateway).images.edit({ model, prompt, image: await picture() });
      expect(data).toHaveLength(1);
    },
  },
  "`openai` videos.create, retrieve, downloadContent": {
    async run(gateway, provider) {
      const { id } = await finishedFilm(gateway, provider);
      const content = await openai(gateway).videos.downloadContent(id);
      expect(content.headers.get("content-type")).toBe("video/mp4");
      expect((await content.arrayBuffer()).byteLength).toBeGreaterThan(1_000);
    },
  },
  "`openai` videos.list, delete": {
    async run(gateway, provider) {
      const { id } = await finishedFilm(gateway, provider);
      const { videos } = openai(gateway);
      const ids = async () => {
        const all: string[] = [];
        for await (const video of videos.list({ limit: 10 })) all.push(video.id);
        return all;
      };
      expect(await ids()).toContain(id);
      expect(await videos.delete(id)).toMatchObject({ id, deleted: true });
      expect(await ids()).not.toContain(id);
    },
  },
  "`openai` videos.remix": {
    async run(gateway, provider) {
      const { id } = await finishedFilm(gateway, provider);
      const remixed = await openai(gateway).videos.remix(id, { prompt: "The same fox, blue" });
      expect(remixed.remixed_from_video_id).toBe(id);
    },
  },
  "`openai` files.create, retrieve, list, content, delete": {
    providers: ["openai"],
    async run(gateway) {
      const { files } = openai(gateway);
      const { id } = await files.create({ purpose: "user_data", file: await toFile(Buffer.from(text), "notes.txt") });
      expect(await files.retrieve(id)).toMatchObject({ id, filename: "notes.txt", bytes: text.length });
      expect((await files.list()).data.map((file) => file.id)).toContain(id);
      expect(await (await files.content(id)).text()).toBe(text);
      expect(await files.delete(id)).toMatchObject({ id, deleted: true });
    },
  },
  "`@google/genai` models.generateContent with an image": {
    providers: ["gemini"],
    async run({ url, key }) {
      const google = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url } });
      const config = { responseModalities: ["IMAGE"] };
      const { candidates = [] } = await google.models.generateContent({
        model: "conversing",
        contents: prompt,
        config,
      });
      expect(lookAt(candidates[0]?.content?.parts?.[0]?.inlineData?.data)).toBe("png 1024x1024");
      const asked = google.models.generateImages({ model: "conversing", prompt });
      // Its own refusal, before any request.
      expect(await asked.then(JSON.stringify, String)).toContain(
        "only supported by the Gemini Enterprise Agent Platform",
      );
    },
  },
  "AI SDK generateSpeech": {
    async run(gateway, provider) {
      const model = vercel(gateway).speech(mediaModel("speech", provider));
      const asked = { model, text, voice: voiceOf(provider), outputFormat: "wav", maxRetries: 0 } as const;
      expect(isWav((await generateSpeech(asked)).audio.uint8Array)).toBe(true);
    },
  },
  "AI SDK transcribe": {
    async run(gateway, provider) {
      const model = vercel(gateway).transcription(mediaModel("transcription", provider));
      expect((await transcribe({ model, audio: spoken(text), maxRetries: 0 })).text).toBe(text);
    },
  },
  "AI SDK generateImage": {
    async run(gateway, provider) {
      const model = vercel(gateway).image(mediaModel("image", provider));
      const { image } = await generateImage({ model, prompt, maxRetries: 0 });
      expect(lookAt(image.base64)).toMatch(/^(png|jpg|webp) \d+x\d+$/);
    },
  },
};
