import { describe, expect, test } from "bun:test";
import { asSpeechEvents } from "../../sound/speech-events.ts";
import { collectSound } from "../../sound/collected-sound.ts";
import { SoundStream } from "../../sound/sound-stream.ts";
import { wavOf } from "../../sound/wav-file.ts";
import { decodeSpeech } from "./decode-speech.ts";

const samples = Buffer.from(crypto.getRandomValues(new Uint8Array(60_000)));

function answerOf(data: string, mimeType = "audio/L16;codec=pcm;rate=24000"): Buffer {
  const parts = [{ inlineData: { mimeType, data } }];
  return Buffer.from(JSON.stringify({ candidates: [{ content: { parts } }], usageMetadata: { promptTokenCount: 3 } }));
}

const faultOf = (answer: Uint8Array) => decodeSpeech(answer, "wav").then(() => null, String);

describe("sound in an answer of Gemini", () => {
  test.each([1, 2, 3, 60_000])("of %i bytes is what was encoded, as samples and as WAV", async (length) => {
    const said = samples.subarray(0, length);
    const answer = answerOf(said.toString("base64"));
    expect(Buffer.from((await decodeSpeech(answer, "pcm")).sound).equals(said)).toBe(true);
    const wav = wavOf(said, { hertz: 24_000, channels: 1, bitsPerSample: 16 });
    expect(Buffer.from((await decodeSpeech(answer, "wav")).sound).equals(wav)).toBe(true);
    const inWav = answerOf(Buffer.from(wav).toString("base64"), "audio/wav");
    expect(Buffer.from((await decodeSpeech(inWav, "pcm")).sound).equals(said)).toBe(true);
    expect(Buffer.from((await decodeSpeech(inWav, "wav")).sound).equals(wav)).toBe(true);
  });

  test.each(["8000", "192000", "016000"])("has a rate that sound has: %s", async (rate) => {
    const { sound } = await decodeSpeech(answerOf(samples.toString("base64"), `audio/L16;rate=${rate}`), "wav");
    expect(Buffer.from(sound).readUInt32LE(24)).toBe(Number(rate));
  });

  test.each(["000001", "7999", "192001", "2400000", "99999999999999999999"])(
    "of the rate %s is a fault",
    async (rate) => {
      expect(await faultOf(answerOf(samples.toString("base64"), `audio/L16;rate=${rate}`))).toContain("sample rate");
    },
  );

  test("that is not base64 is a fault", async () => {
    const base64 = samples.toString("base64");
    expect(await faultOf(answerOf(`${base64.slice(0, 70_000)}<>${base64.slice(70_002)}`))).toContain(
      "not valid base64",
    );
  });

  test.each([false, true])(
    "of eleven minutes holds the event loop in short steps (as events: %p)",
    async (asEvents) => {
      const said = Buffer.alloc(30 << 20, samples);
      const answer = answerOf(said.toString("base64"));
      // Other processes may hold this one up, but not each time.
      const longest: number[] = [];
      for (let round = 0; round < 4; round++) {
        const collected = collectSound(new SoundStream("wav"), 64 << 20, (body) => decodeSpeech(body, "wav"));
        const stream = asEvents ? asSpeechEvents(collected) : collected;
        for (let at = 0; at < answer.length; at += 32 << 10) stream.push(answer.subarray(at, at + (32 << 10)));
        const watch = watchTurns();
        const bytes = await stream.endInSteps?.();
        longest.push(watch.stop());
        expect(stream.fault).toBeNull();
        expect(bytes?.length).toBeGreaterThan(said.length);
      }
      expect(Math.min(...longest)).toBeLessThan(50);
    },
  );
});

/** Measures the longest turn of the event loop, in milliseconds. */
function watchTurns(): { stop(): number } {
  let isOver = false;
  let last = performance.now();
  let longest = 0;
  const turn = () => {
    const now = performance.now();
    longest = Math.max(longest, now - last);
    last = now;
    if (!isOver) setImmediate(turn);
  };
  setImmediate(turn);
  return {
    stop() {
      isOver = true;
      return longest;
    },
  };
}
