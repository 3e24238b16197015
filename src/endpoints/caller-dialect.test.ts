import { expect, test } from "bun:test";
import { createDialects } from "../dialects/dialect.ts";
import { openaiChat } from "../dialects/openai-chat/dialect.ts";
import { dialects } from "../dialects/registry.ts";
import { notFound } from "../errors.ts";
import { callerDialect, errorFormatAt } from "./caller-dialect.ts";

const notFoundError = notFound("unknown_path", "Unknown path.");

test.each([
  ["/v1beta/anything", {}, "status"],
  ["/v1/messages/anything", {}, "anthropic"],
  ["/v1/models/x", { "anthropic-version": "2023-06-01" }, "anthropic"],
  ["/v1/models/x", {}, "openai"],
  ["/anything", {}, "openai"],
] as const)("an error at %s with %j is written as %s", (path, headers, shape) => {
  const format = errorFormatAt(dialects, path, new Headers(headers));
  const expected = {
    status: { error: { status: expect.any(String) } },
    anthropic: { type: "error", error: { type: expect.any(String) } },
    openai: { error: { type: expect.any(String), param: null, request_id: "req_1" } },
  };
  const body = format.errorBody(notFoundError, "req_1");
  expect(body).toMatchObject(expected[shape]);
  expect("type" in body).toBe(shape === "anthropic");
});

test("a dialect of the registry claims its paths and header by its descriptor alone", () => {
  const other = { ...openaiChat, name: "other", clients: { paths: ["/other/"], header: "x-other" } };
  const own = createDialects([openaiChat, other]);
  expect(callerDialect(own, "/other/thing", new Headers())).toBe(other);
  expect(callerDialect(own, "/v1/models", new Headers({ "x-other": "1" }))).toBe(other);
  expect(callerDialect(own, "/v1/chat/completions", new Headers({ "x-other": "1" }))).toBeNull();
});
