import { describe, expect, test } from "bun:test";
import { verdict } from "./bars.ts";

const bar = { name: "CPU a chunk", unit: "x nginx", limit: 1.5 };

describe("a bar", () => {
  test("is reached up to its limit", () => {
    expect(verdict({ ...bar, value: 1.5 })).toBe("reached");
  });

  test("is missed by what is above", () => {
    expect(verdict({ ...bar, value: 1.8 })).toBe("MISSED by 0.30 x nginx (20%)");
  });

  test("that was not measured is not called reached", () => {
    expect(verdict({ ...bar, value: null })).toBe("not measured");
  });
});
