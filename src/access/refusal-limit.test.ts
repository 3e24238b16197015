import { expect, test } from "bun:test";
import { createRefusalLimit } from "./refusal-limit.ts";

function setUp(perMinute = 2) {
  let time = 1_000;
  const limit = createRefusalLimit({ now: () => time }, perMinute);
  return { limit, at: (now: number) => (time = now) };
}

test("refusals are counted up to the limit, and further ones wait for the first to expire", () => {
  const { limit, at } = setUp();
  expect(limit.count("a")).toBeNull();
  at(21_000);
  expect(limit.count("a")).toBeNull();
  expect(limit.count("a")).toEqual({ waitSeconds: 40, isFirst: true });
  at(22_000);
  expect(limit.count("a")).toEqual({ waitSeconds: 39, isFirst: false });
  expect(limit.count("b")).toBeNull();
  at(61_000);
  expect(limit.count("a")).toBeNull();
  expect(limit.count("a")).toMatchObject({ waitSeconds: 20, isFirst: false });
});

test("excess is reported again after a minute", () => {
  const { limit, at } = setUp(1);
  limit.count("a");
  expect(limit.count("a")).toMatchObject({ isFirst: true });
  at(61_000);
  expect(limit.count("a")).toBeNull();
  expect(limit.count("a")).toMatchObject({ isFirst: true });
});

test("0 is no limit", () => {
  const { limit } = setUp(0);
  for (let times = 0; times < 1_000; times++) expect(limit.count("a")).toBeNull();
});

test("keys that are no longer refused anything are forgotten", () => {
  const { limit, at } = setUp();
  for (let key = 0; key < 5_000; key++) limit.count(`key${key}`);
  expect(limit.keys).toBe(5_000);
  at(61_000);
  limit.count("a");
  expect(limit.keys).toBe(1);
});

test("requests that were turned away are counted by themselves, those without a key together", () => {
  const { limit } = setUp(2);
  for (let times = 0; times < 2; times++) expect(limit.countTurnedAway("a")).toBeNull();
  expect(limit.countTurnedAway("a")).toMatchObject({ isFirst: true });
  expect(limit.countTurnedAway("b")).toBeNull();
  expect(limit.count("a")).toBeNull();
  for (let times = 0; times < 20; times++) expect(limit.countTurnedAway(null)).toBeNull();
  expect(limit.countTurnedAway(null)).toMatchObject({ isFirst: true });
  expect(setUp(0).limit.countTurnedAway(null)).toBeNull();
});
