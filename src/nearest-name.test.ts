import { expect, test } from "bun:test";
import { nearestName, nearestNames } from "./nearest-name.ts";

const known = ["id", "dialect", "base_url", "api_key", "headers", "timeouts"];

test.each([
  ["apiKey", "api_key"],
  ["api-key", "api_key"],
  ["baseurl", "base_url"],
  ["tiemouts", "timeouts"],
  ["header", "headers"],
  ["dialct", "dialect"],
  ["di", "id"],
])("%s is most likely %s", (name, expected) => {
  expect(nearestName(name, known)).toBe(expected);
});

test.each([["zzzzzz"], ["completely_different"], ["x".repeat(100_000)]])("%.20s is similar to none", (name) => {
  expect(nearestName(name, known)).toBeNull();
});

test("without known names the result is null", () => {
  expect(nearestName("id", [])).toBeNull();
});

test("several names, the most similar first", () => {
  const known = ["gpt-4-min", "gpt-5", "gpt-5-mini", "gpt-5-nano", "claude-sonnet"];
  expect(nearestNames("gpt-5-mnii", known, 3)).toEqual(["gpt-5-mini", "gpt-4-min"]);
  expect(nearestNames("gpt-5-mnii", known, 1)).toEqual(["gpt-5-mini"]);
  expect(nearestNames("llama", known, 3)).toEqual([]);
});

test("ten thousand names are compared in less than a second", () => {
  const known = Array.from({ length: 10_000 }, (_, index) => `vendor-${index % 97}/model-${index}-instruct`);
  const start = performance.now();
  nearestNames("vendor-5/model-77-instrukt", known, 3);
  expect(performance.now() - start).toBeLessThan(1_000);
});
