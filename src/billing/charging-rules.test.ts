import { expect, test } from "bun:test";
import { chargingRuleOf, chargingRules } from "./charging-rules.ts";

const statuses = ["succeeded", "failed", "cancelled", "refused", "pending"] as const;
const flags = [false, true];

test("only answers that came to an end, or that their caller left, are paid", () => {
  const plain = { isJob: false, isFree: false };
  const pays = (status: (typeof statuses)[number], hasAnswer: boolean) => {
    return chargingRules[chargingRuleOf({ ...plain, status, hasAnswer })].pays;
  };
  expect(pays("succeeded", true)).toBe("usage");
  expect(pays("cancelled", true)).toBe("usage");
  expect(pays("cancelled", false)).toBe("nothing");
  for (const hasAnswer of flags) {
    expect(pays("failed", hasAnswer)).toBe("nothing");
    expect(pays("refused", hasAnswer)).toBe("nothing");
  }
});

test("a failure is never paid, whatever it was", () => {
  for (const isJob of flags) {
    for (const isFree of flags) {
      for (const hasAnswer of flags) {
        for (const status of ["failed", "refused"] as const) {
          expect(chargingRules[chargingRuleOf({ status, hasAnswer, isJob, isFree })].pays).toBe("nothing");
        }
      }
    }
  }
});

test("a job is paid later, counting tokens never", () => {
  const end = { status: "succeeded", hasAnswer: true } as const;
  expect(chargingRuleOf({ ...end, isJob: true, isFree: false })).toBe("pending_job");
  expect(chargingRuleOf({ ...end, isJob: false, isFree: true })).toBe("free_operation");
});
