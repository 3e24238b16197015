import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerFault } from "../exchange.ts";
import { languageName } from "./language-name.ts";
import { segmentsOf } from "./segments.ts";
import { speakerSegments } from "./speakers.ts";
import { writeSrt, writeVtt } from "./subtitles.ts";
import type { TimedText, Transcript } from "./transcript.ts";

const transcriptOf = (words: readonly TimedText[]): Transcript => ({
  text: words.map(({ text }) => text).join(" "),
  language: null,
  seconds: null,
  words,
  usage: null,
});

/** Words of half a second, one after the other. */
const said = (...texts: string[]) =>
  transcriptOf(
    texts.map((text, index) => ({ text, start: index / 2, end: index / 2 + 0.4, logprob: -0.5, speaker: null })),
  );

describe("segments", () => {
  test("end with sentences", () => {
    const segments = segmentsOf(said("Hello", "world.", "How", "are", "you?", "Fine"));
    expect(segments.map(({ text }) => text)).toEqual(["Hello world.", "How are you?", "Fine"]);
    expect(segments[1]).toEqual({ text: "How are you?", start: 1, end: 2.4, logprob: -0.5, speaker: null });
  });

  test("end before a silence", () => {
    const [first, second] = said("Hello", "world").words;
    if (!first || !second) throw new Error("No words.");
    const segments = segmentsOf(transcriptOf([first, { ...second, start: 5, end: 6 }]));
    expect(segments.map(({ text }) => text)).toEqual(["Hello", "world"]);
  });

  test("join words that are written without spaces", () => {
    expect(segmentsOf(said("こんにちは", "世界", "。"))[0]?.text).toBe("こんにちは世界。");
  });

  test("are one if nothing is known of times, and none if nothing was said", () => {
    const untimed = { ...said(), text: "Hello", seconds: 3 };
    expect(segmentsOf(untimed)).toEqual([{ text: "Hello", start: 0, end: 3, logprob: null, speaker: null }]);
    expect(segmentsOf(said())).toEqual([]);
  });

  test("hold every word once, in order, and can be read in time", () => {
    const word = fc.record({
      text: fc.stringMatching(/^[a-z]{1,20}[.?]?$/),
      gap: fc.double({ min: 0, max: 3, noNaN: true }),
    });
    fc.assert(
      fc.property(fc.array(word, { maxLength: 60 }), (list) => {
        let at = 0;
        const words = list.map(({ text, gap }) => {
          const start = at + gap;
          at = start + 0.3;
          return { text, start, end: at, logprob: null, speaker: null };
        });
        const segments = segmentsOf(transcriptOf(words));
        expect(segments.map(({ text }) => text).join(" ")).toBe(words.map(({ text }) => text).join(" "));
        for (const { text, start, end } of segments) {
          expect(text.length).toBeLessThanOrEqual(84 + 21);
          expect(end - start).toBeLessThanOrEqual(7);
        }
      }),
    );
  });
});

describe("speakers", () => {
  const by = (speakers: readonly (string | null)[], gap = 0) => {
    const { words } = said(...speakers.map((_, index) => `w${index}`));
    return transcriptOf(
      words.map((word, index) => ({
        ...word,
        start: word.start + gap * index,
        end: word.end + gap * index,
        speaker: speakers[index] ?? null,
      })),
    );
  };
  const shown = (transcript: Transcript) =>
    speakerSegments(transcript).map(({ speaker, text }) => `${speaker}: ${text}`);

  test("are named in the order in which they are heard, and take turns", () => {
    const transcript = by(["7", "7", "0", "7", "speaker_3"]);
    expect(shown(transcript)).toEqual(["A: w0 w1", "B: w2", "A: w3", "C: w4"]);
    expect(speakerSegments(transcript)[1]).toEqual({
      type: "transcript.text.segment",
      id: "seg_002",
      start: 1,
      end: 1.4,
      text: "w2",
      speaker: "B",
    });
  });

  test("begin anew after a silence, and after half a minute", () => {
    expect(shown(by(["0", "0"], 3))).toEqual(["A: w0", "A: w1"]);
    expect(shown(by(Array.from({ length: 100 }, () => "0"))).length).toBe(2);
  });

  test("have names of two letters after Z", () => {
    const names = speakerSegments(by(Array.from({ length: 28 }, (_, index) => `s${index}`))).map(
      (each) => each.speaker,
    );
    expect(names.slice(24)).toEqual(["Y", "Z", "AA", "AB"]);
  });

  test("that are not told apart are a fault; silence has none", () => {
    expect(() => speakerSegments(by(["0", null]))).toThrow(AnswerFault);
    expect(() => speakerSegments({ ...said(), text: "Hello" })).toThrow(AnswerFault);
    expect(speakerSegments(said())).toEqual([]);
  });
});

describe("subtitles", () => {
  const cue = (text: string, start = 0, end = 1) => ({ text, start, end, logprob: null, speaker: null });

  test("count hours, and round to milliseconds", () => {
    expect(writeSrt([cue("a", 3_723.0046, 3_723.9996)])).toBe("1\n01:02:03,005 --> 01:02:04,000\na\n");
    expect(writeVtt([cue("a", 59.9999, 360_000)])).toBe("WEBVTT\n\n00:01:00.000 --> 100:00:00.000\na\n");
  });

  test("are numbered, and apart", () => {
    expect(writeSrt([cue("a"), cue("b", 1, 2)])).toBe(
      "1\n00:00:00,000 --> 00:00:01,000\na\n\n2\n00:00:01,000 --> 00:00:02,000\nb\n",
    );
    expect([writeSrt([]), writeVtt([])]).toEqual(["", "WEBVTT\n"]);
  });

  test("hold no blank line and no markup of a text's own", () => {
    expect(writeVtt([cue("a\n\n<b> & --> c")])).toEndWith("a &lt;b&gt; &amp; --&gt; c\n");
    expect(writeSrt([cue("a\n\n2\n00:00:00,000 --> 00:00:01,000")]).split("\n\n")).toHaveLength(1);
  });
});

test.each([
  ["en", "english"],
  ["eng", "english"],
  ["pt-BR", "portuguese"],
  ["de", "german"],
  ["not a tag", "not a tag"],
  ["", ""],
])("the language %j is %j", (tag, name) => {
  expect(languageName(tag)).toBe(name);
});
