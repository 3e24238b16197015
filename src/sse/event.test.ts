import { describe, expect, test } from "bun:test";
import { assert, constantFrom, property, string } from "fast-check";
import { readFields } from "./event.ts";

function read(text: string) {
  return readFields({ bytes: new TextEncoder().encode(text) });
}

const textOfOneLine = string({ unit: "grapheme" }).map((text) => text.replaceAll(/[\r\n\uFEFF]/g, ""));
const lineEnds = constantFrom("\n", "\r\n", "\r");

describe("an event's fields", () => {
  test("are read from a single data line, with any line end", () => {
    assert(
      property(textOfOneLine, lineEnds, (data, end) => {
        expect(read(`data: ${data}${end}${end}`)).toEqual({ event: null, data });
      }),
    );
  });

  test("are read in any order", () => {
    assert(
      property(textOfOneLine, textOfOneLine, lineEnds, (event, data, end) => {
        expect(read(`event: ${event}${end}data: ${data}${end}${end}`)).toEqual({ event, data });
        expect(read(`data: ${data}${end}event: ${event}${end}${end}`)).toEqual({ event, data });
      }),
    );
  });

  test.each([
    ["several data lines", "data: a\ndata: b\n\n", { event: null, data: "a\nb" }],
    ["several data lines after a name", "event: x\ndata: a\ndata: b\n\n", { event: "x", data: "a\nb" }],
    ["no space behind the colon", "event:x\ndata:a\n\n", { event: "x", data: "a" }],
    ["two spaces behind the colon", "data:  a\n\n", { event: null, data: " a" }],
    ["line ends that are mixed", "event: x\r\ndata: a\n\r\n", { event: "x", data: "a" }],
    ["an end that is cut", "event: x\ndata: a", { event: "x", data: "a" }],
    ["one line end for two", "data: ab\n", { event: null, data: "ab" }],
    ["a comment before", ": ping\ndata: a\n\n", { event: null, data: "a" }],
    ["an id between", "event: x\nid: 7\ndata: a\n\n", { event: "x", data: "a" }],
    ["only a name", "event: ping\n\n", { event: "ping", data: null }],
    ["only a comment", ": ping\n\n", { event: null, data: null }],
    ["empty data", "data: \n\n", { event: null, data: "" }],
    ["data without a colon", "data\n\n", { event: null, data: "" }],
  ])("are read with %s", (_what, text, fields) => {
    expect(read(text)).toEqual(fields);
  });
});
