import { expect, test } from "bun:test";
import { nearestName } from "./nearest-name.ts";

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
