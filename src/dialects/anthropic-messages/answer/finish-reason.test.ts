import { expect, test } from "bun:test";
import { encodeStopReason } from "./finish-reason.ts";

const detailsOf = (category: string | undefined, explanation?: string) =>
  encodeStopReason({ reason: "content-filter", category, explanation }).stop_details;

test("a refusal has one of Anthropic's own categories", () => {
  expect(detailsOf("cyber")).toEqual({ type: "refusal", category: "cyber", explanation: null });
});

test("another vendor's category becomes the explanation", () => {
  expect(detailsOf("PROHIBITED_CONTENT")).toEqual({
    type: "refusal",
    category: null,
    explanation: "PROHIBITED_CONTENT",
  });
});

test("another vendor's category stands after its explanation", () => {
  expect(detailsOf("SAFETY", "Not this.")).toEqual({
    type: "refusal",
    category: null,
    explanation: "Not this. (SAFETY)",
  });
});

test("nothing is explained if there is nothing to say", () => {
  expect(detailsOf(undefined)).toBeUndefined();
});
