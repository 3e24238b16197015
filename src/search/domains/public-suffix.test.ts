import { expect, test } from "bun:test";
import { isPublicSuffix } from "./public-suffix.ts";

test("public suffixes are recognised, also those of hosts", () => {
  expect(["co.uk", "gov.uk", "github.io"].map(isPublicSuffix)).toEqual([true, true, true]);
  expect(["example.com", "user.github.io", "192.0.2.1"].map(isPublicSuffix)).toEqual([false, false, false]);
});
