import { expect, test } from "bun:test";
import { createAttemptLimit } from "./attempt-limit.ts";

test("counts up to the limit within a window, each name by itself", () => {
  let now = 1_000;
  const limit = createAttemptLimit({ now: () => now }, { max: 3, windowMs: 60_000 });
  expect(limit.waitSeconds("a")).toBe(0);
  for (let attempt = 0; attempt < 3; attempt++) {
    expect(limit.waitSeconds("a")).toBe(0);
    limit.count("a");
  }
  expect(limit.waitSeconds("a")).toBe(60);
  expect(limit.waitSeconds("b")).toBe(0);
  now += 59_500;
  expect(limit.waitSeconds("a")).toBe(1);
  now += 500;
  expect(limit.waitSeconds("a")).toBe(0);
  limit.count("a");
  expect(limit.waitSeconds("a")).toBe(0);
});

test("what is taken back or forgotten counts no more", () => {
  const limit = createAttemptLimit({ now: () => 0 }, { max: 1, windowMs: 60_000 });
  limit.count("a");
  expect(limit.waitSeconds("a")).toBe(60);
  limit.uncount("a");
  expect(limit.waitSeconds("a")).toBe(0);
  limit.uncount("a");
  limit.count("a");
  expect(limit.waitSeconds("a")).toBe(60);
  limit.forget("a");
  expect(limit.waitSeconds("a")).toBe(0);
});

test("a hundred thousand names neither grow its memory nor free the counter of one that is at its limit", () => {
  const limit = createAttemptLimit({ now: () => 0 }, { max: 2, windowMs: 60_000 });
  limit.count("victim");
  limit.count("victim");
  Bun.gc(true);
  const before = process.memoryUsage().heapUsed;
  for (let index = 0; index < 100_000; index++) limit.count(`user${index}@example.com`);
  Bun.gc(true);
  expect(process.memoryUsage().heapUsed - before).toBeLessThan(4_000_000);
  expect(limit.waitSeconds("victim")).toBe(60);
});
