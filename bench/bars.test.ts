import { describe, expect, test } from "bun:test";
import { readBars, verdict } from "./bars.ts";
import type { Results } from "./results.ts";

const bar = { name: "CPU a chunk", unit: "x nginx", limit: 1.5 };

const nothing: Results = {
  startedAt: "",
  quick: false,
  setting: [],
  json: null,
  streams: null,
  latency: null,
  memory: null,
  translation: null,
  routing: null,
  start: null,
  records: {
    drained: { answered: 0, records: 0 },
    wholeRun: { answered: 0, cut: 0, records: 0 },
    equal: true,
  },
};

describe("a bar", () => {
  test("is reached up to its limit", () => {
    expect(verdict({ ...bar, value: 1.5 })).toBe("reached");
  });

  test("is missed by what is above", () => {
    expect(verdict({ ...bar, value: 1.8 })).toBe("MISSED by 0.30 x nginx (20%)");
  });

  test("that was not measured is not called reached", () => {
    expect(verdict({ ...bar, value: null })).toBe("not measured");
    expect(readBars(nothing).map(verdict)).toEqual(readBars(nothing).map(() => "not measured"));
  });

  test("stands for each translated way, none for a pass-through", () => {
    const cost = (ofPassThrough: number | null) => ({ cpuMicroseconds: 1000, ofPassThrough, rounds: [1000] });
    const passThrough = { caller: "gemini", provider: "gemini", json: cost(null), stream: cost(null) } as const;
    const translated = { caller: "gemini", provider: "openai-chat", json: cost(9), stream: cost(2.6) } as const;
    const bars = readBars({ ...nothing, translation: [passThrough, translated] });
    const found = bars.filter(({ unit }) => unit === "x pass-through").map((each) => [each.name, verdict(each)]);
    expect(found).toEqual([["stream, gemini to openai-chat", "MISSED by 0.10 x pass-through (4%)"]]);
  });
});
