import { expect, test } from "bun:test";
import { AnswerFault } from "../exchange.ts";
import { decodeTokenCount, encodeCountTokensRequest, encodeTokenCount, readCountTokensBody } from "./count-tokens.ts";

const contents = [{ role: "user", parts: [{ text: "Hello" }] }];

test("a body holds contents, or a whole request in either spelling", () => {
  expect(readCountTokensBody({ contents })).toEqual({ contents });
  const request = { model: "models/m", contents, tools: [] };
  expect(readCountTokensBody({ generateContentRequest: request })).toBe(request);
  expect(readCountTokensBody({ generate_content_request: request })).toBe(request);
  expect(() => readCountTokensBody({})).toThrow("contents");
});

test("the provider is asked with the whole request, so that tools and instructions count", () => {
  expect(encodeCountTokensRequest({ contents, tools: [] }, "gemini-3-flash")).toEqual({
    path: "/v1beta/models/gemini-3-flash:countTokens",
    body: { generateContentRequest: { model: "models/gemini-3-flash", contents, tools: [] } },
  });
});

test("counts survive a round trip; Google leaves out a count of 0", () => {
  expect(decodeTokenCount(encodeTokenCount(12))).toBe(12);
  expect(decodeTokenCount({})).toBe(0);
  for (const body of [null, [], { totalTokens: "9" }, { totalTokens: -1 }]) {
    expect(() => decodeTokenCount(body)).toThrow(AnswerFault);
  }
});
