import { describe, expect, test } from "bun:test";
import { judgeMemory } from "./judge-process.ts";

const samples = (seconds: number, megabytesAt: (second: number) => number) =>
  Array.from({ length: seconds }, (_, at) => ({ at, residentMegabytes: megabytesAt(at), openFiles: 10 }));

describe("resident memory", () => {
  test("may grow to its working size in the first quarter", () => {
    expect(judgeMemory(samples(600, (at) => Math.min(200, 60 + at))).ok).toBe(true);
  });

  test("may not grow continuously", () => {
    expect(judgeMemory(samples(600, (at) => 200 + at / 4)).ok).toBe(false);
  });

  test("is not judged in a short run", () => {
    expect(judgeMemory(samples(60, (at) => 60 + at)).ok).toBeNull();
  });
});
