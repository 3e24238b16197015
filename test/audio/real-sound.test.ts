import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import type { TestGateway } from "../gateway.testkit.ts";
import { startTestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { findLocalSound, type LocalSound, startLocalSound } from "./local-sound.testkit.ts";
import { transcribe } from "./transcription.testkit.ts";
import { speak } from "./speech.testkit.ts";

/** Real voices and a real recogniser, each behind a server of OpenAI's shape, and the gateway in front of both. */

const missing = await findLocalSound();

const title = missing === null ? "real sound" : `real sound (skipped: ${missing})`;

describe.skipIf(missing !== null)(title, () => {
  let local: LocalSound;
  let gateway: TestGateway;
  beforeAll(async () => {
    local = await startLocalSound();
    const model = (id: string, endpoint: string) => ({
      id,
      targets: [{ provider: "local", model: id }],
      endpoints: [endpoint],
      parameters: {},
      contextLength: null,
      maxOutputTokens: null,
      prices: { second: 1_000 },
    });
    gateway = await startTestGateway({
      providers: () => [{ id: "local", baseUrl: local.url }],
      models: [
        model("espeak", "audio_speech"),
        model("flite", "audio_speech"),
        model("words", "audio_transcriptions"),
        model("language", "audio_transcriptions"),
      ],
    });
  });
  afterAll(async () => {
    await gateway.stop();
    await local.stop();
  });

  const said = "the quick brown fox";

  test.each([
    ["espeak", "words"],
    ["flite", "language"],
  ])(
    "what %s says, the recogniser finds: %s",
    async (voice, recogniser) => {
      const spoken = await speak(gateway, { model: voice, input: said, response_format: "wav" });
      expect(spoken.headers.get("content-type")).toBe("audio/wav");
      const sound = Uint8Array.from(await spoken.bytes());
      const response = await transcribe(gateway, { model: recogniser, response_format: "verbose_json" }, { sound });
      expect(response.status).toBe(200);
      const { text, words, duration } = (await response.json()) as {
        text: string;
        words: { word: string; start: number }[];
        duration: number;
      };
      for (const word of ["quick", "brown", "fox"]) expect(text.split(" ")).toContain(word);
      // In the order in which they were said.
      const at = (name: string) => words.find(({ word }) => word === name)?.start ?? -1;
      expect(at("quick")).toBeLessThan(at("brown"));
      expect(at("brown")).toBeLessThan(at("fox"));
      // What the recogniser counts is what was measured of the same sound as it was spoken.
      const [heard] = (await gateway.record(idOf(response))).usage.dimensions;
      const [measured] = (await gateway.record(idOf(spoken))).usage.dimensions;
      expect(heard?.quantity).toBeCloseTo(duration, 2);
      expect(measured?.quantity).toBeCloseTo(duration, 1);
    },
    60_000,
  );
});
