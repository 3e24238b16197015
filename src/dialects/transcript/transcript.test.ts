import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { languageName } from "./language-name.ts";
import { segmentsOf } from "./segments.ts";
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
  transcriptOf(texts.map((text, index) => ({ text, start: index / 2, end: index / 2 + 0.4, logprob: -0.5 })));

describe("segments", () => {
  test("end with sentences", () => {
    const segments = segmentsOf(said("Hello", "world.", "How", "are", "you?", "Fine"));
    expect(segments.map(({ text }) => text)).toEqual(["Hello world.", "How are you?", "Fine"]);
    expect(segments[1]).toEqual({ text: "How are you?", start: 1, end: 2.4, logprob: -0.5 });
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
    expect(segmentsOf(untimed)).toEqual([{ text: "Hello", start: 0, end: 3, logprob: null }]);
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
          return { text, start, end: at, logprob: null };
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

describe("subtitles", () => {
  const cue = (text: string, start = 0, end = 1) => ({ text, start, end, logprob: null });

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
