import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { fitToolId, type ToolIdRule } from "./tool-ids.ts";

const rule: ToolIdRule = { pattern: /^[a-zA-Z0-9_-]+$/, maxLength: 40, prefix: "call_" };

test("a valid id is unchanged", () => {
  expect(fitToolId("toolu_01AbC-9", rule)).toBe("toolu_01AbC-9");
});

test("any id becomes valid, always the same one, and is then unchanged", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 80 }), (id) => {
      const fitted = fitToolId(id, rule);
      expect(fitted).toMatch(rule.pattern);
      expect(fitted.length).toBeLessThanOrEqual(rule.maxLength);
      expect(fitToolId(id, rule)).toBe(fitted);
      expect(fitToolId(fitted, rule)).toBe(fitted);
    }),
  );
});
