import { expect, test } from "bun:test";
import { encodeFrame } from "./sse.ts";

const frame = { data: '{"a":"b"}' };

test("an event is a data line and a blank line", () => {
  expect(encodeFrame(frame, {})).toBe('data: {"a":"b"}\n\n');
  expect(encodeFrame({ event: "ping", data: "{}" }, {})).toBe("event: ping\ndata: {}\n\n");
});

test("lines have the line end of the script", () => {
  expect(encodeFrame(frame, { newline: "crlf" })).toBe('data: {"a":"b"}\r\n\r\n');
  expect(encodeFrame(frame, { newline: "cr", no_space: true })).toBe('data:{"a":"b"}\r\r');
});

test("JSON over several lines is unchanged, and [DONE] is not split", () => {
  const encoded = encodeFrame(frame, { multi_line: true });
  expect(encoded).toBe('data: {\ndata: "a":"b"\ndata: }\n\n');
  expect(JSON.parse(encoded.replaceAll("data: ", ""))).toEqual({ a: "b" });
  expect(encodeFrame({ data: "[DONE]" }, { multi_line: true })).toBe("data: [DONE]\n\n");
});

test("a comment comes before the event", () => {
  expect(encodeFrame(frame, { comments: true })).toBe(': still here\n\ndata: {"a":"b"}\n\n');
});
