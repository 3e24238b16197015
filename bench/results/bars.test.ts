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
  burst: null,
  latency: null,
  memory: null,
  translation: null,
  search: null,
  routing: null,
  loop: null,
  attacks: null,
  start: null,
  records: {},
};

const quiet = {
  requests: 1,
  stolen: 0,
  report: { wall: 1, turns: 1, longest: 0, held: [], blocked: 0, waitedForCore: 0 },
  garbage: { collections: 0, pauses: 0, milliseconds: 0, longest: 0 },
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
    const translated = { caller: "gemini", provider: "openai-chat", json: cost(9), stream: cost(2.2) } as const;
    const bars = readBars({ ...nothing, translation: [passThrough, translated] });
    const found = bars.filter(({ unit }) => unit === "x pass-through").map((each) => [each.name, verdict(each)]);
    expect(found).toEqual([["stream, gemini to openai-chat", "MISSED by 0.20 x pass-through (10%)"]]);
  });

  test("for CPU is a ratio to nginx of the same run, whatever other contenders there are", () => {
    const cost = (cpuMicroseconds: number) => ({ perSecond: 1, cpuMicroseconds, rounds: [] });
    const measured = { nginx: cost(20), before: cost(300), tollgate: cost(80), peer: cost(500) };
    const values = readBars({ ...nothing, json: measured, streams: measured, burst: measured });
    const cpu = values.filter(({ unit }) => unit === "x nginx").map(({ name, value }) => [name, value]);
    expect(cpu).toEqual([
      ["CPU of a JSON request", 4],
      ["CPU of a paced chunk", 4],
      ["CPU of 100 chunks at once", 4],
    ]);
  });

  test("for long turns is the worse share at half load; full load does not count", () => {
    const held = (load: string, share: number) => ({ ...quiet, load, share });
    const holds = [held("JSON, half load", 0.002), held("streams, half load", 0.004), held("JSON, full load", 0.5)];
    const allocation = { bytes: 5000, rounds: [], requests: 1 };
    const bars = readBars({ ...nothing, loop: { holds, allocation } });
    expect(bars.find(({ unit }) => unit === "%")?.value).toBeCloseTo(0.4);
    expect(bars.find(({ unit }) => unit === "kB")).toMatchObject({ limit: 4, value: 5 });
  });

  test("for hostile bodies is that of the worst of them", () => {
    const attack = (hold: number) => ({ name: "", megabytes: 1, status: 400, milliseconds: 1, hold, maxHold: 900 });
    const bars = readBars({ ...nothing, attacks: [attack(12), attack(60), attack(3)] });
    expect(bars.find(({ name }) => name.includes("hostile"))).toMatchObject({ limit: 50, value: 60 });
  });
});
