import { expect, test } from "bun:test";
import { decodeFinishReason, encodeFinishReason } from "./finish-reason.ts";

const reasons = {
  STOP: "stop",
  MAX_TOKENS: "length",
  CONTINUATION: "length",
  SAFETY: "content-filter",
  RECITATION: "content-filter",
  BLOCKLIST: "content-filter",
  PROHIBITED_CONTENT: "content-filter",
  SPII: "content-filter",
  IMAGE_SAFETY: "content-filter",
  IMAGE_PROHIBITED_CONTENT: "content-filter",
  IMAGE_RECITATION: "content-filter",
  IMAGE_OTHER: "content-filter",
  LANGUAGE: "error",
  OTHER: "error",
  MALFORMED_FUNCTION_CALL: "error",
  UNEXPECTED_TOOL_CALL: "error",
  TOO_MANY_TOOL_CALLS: "error",
  NO_IMAGE: "error",
  MALFORMED_RESPONSE: "error",
  A_REASON_NOT_KNOWN_YET: "error",
} as const;

test("every reason of Google is read", () => {
  for (const [word, reason] of Object.entries(reasons)) {
    expect([word, decodeFinishReason(word, undefined, false).reason]).toEqual([word, reason]);
  }
});

test("STOP with a function call anywhere in the answer is a tool call", () => {
  expect(decodeFinishReason("STOP", "Model generated function call(s).", true)).toEqual({ reason: "tool-calls" });
  expect(decodeFinishReason("MAX_TOKENS", undefined, true).reason).toBe("length");
});

test("an absent reason is an ordinary end", () => {
  expect(decodeFinishReason(undefined, undefined, false)).toEqual({ reason: "stop" });
  expect(decodeFinishReason("FINISH_REASON_UNSPECIFIED", undefined, false)).toEqual({ reason: "stop" });
});

test("the reason of a withheld answer survives a round trip", () => {
  const finish = decodeFinishReason("RECITATION", "Too close to a book.", false);
  expect(finish).toEqual({ reason: "content-filter", category: "RECITATION", explanation: "Too close to a book." });
  expect(encodeFinishReason(finish)).toEqual({ finishReason: "RECITATION", finishMessage: "Too close to a book." });
});

test("every neutral reason is written as one of Google's", () => {
  const written = (
    ["stop", "pause", "tool-calls", "length", "context-length", "content-filter", "refusal", "error"] as const
  ).map((reason) => encodeFinishReason({ reason, category: "cyber" }).finishReason);
  expect(written).toEqual(["STOP", "STOP", "STOP", "MAX_TOKENS", "MAX_TOKENS", "SAFETY", "SAFETY", "OTHER"]);
});
