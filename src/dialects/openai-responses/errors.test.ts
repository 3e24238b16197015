import { expect, test } from "bun:test";
import { decodeResponsesError } from "./errors.ts";

const nothing = { message: null, type: null, code: null, param: null };

test("errors are read from the envelope, from a flat event, and from an empty object", () => {
  const error = { message: "No.", type: "invalid_request_error", code: "bad", param: "input" };
  expect(decodeResponsesError({ error })).toEqual(error);
  expect(decodeResponsesError({ type: "error", code: "bad", message: "No.", param: "input" })).toEqual({
    ...error,
    type: null,
  });
  expect(decodeResponsesError({ error: "No." })).toEqual({ ...nothing, message: "No." });
  for (const body of [null, "text", {}, []]) expect(decodeResponsesError(body)).toEqual(nothing);
});
