import { expect, test } from "bun:test";
import { parseToolInput } from "./tool-calls.ts";

test("arguments that take long to parse are not parsed", () => {
  const nested = (levels: number) => `{"a":${"[".repeat(levels)}${"]".repeat(levels)}}`;
  expect(parseToolInput(nested(200))).not.toBeNull();
  expect(parseToolInput(nested(300))).toBeNull();
  expect(parseToolInput(nested(200_000))).toBeNull();
  expect(parseToolInput(`{"a":[${"{},".repeat(100_000)}{}]}`)).toBeNull();
});
