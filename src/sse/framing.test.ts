import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { readFields } from "./event.ts";
import { createSseFramer, EventTooLarge } from "./framing.ts";

const encode = (text: string) => new TextEncoder().encode(text);
const decode = (bytes: Uint8Array) => new TextDecoder().decode(bytes);

/** Splits bytes at the given offsets and frames them. */
function frame(bytes: Uint8Array, cuts: readonly number[]) {
  const framer = createSseFramer(1_000_000);
  // Cuts may fall together: some pieces are empty.
  const edges = [0, ...cuts.map((cut) => cut % (bytes.length + 1)).sort((a, b) => a - b), bytes.length];
  const events = edges.slice(1).flatMap((end, index) => framer.push(bytes.slice(edges[index], end)));
  return { events, rest: framer.rest() };
}

describe("framing", () => {
  test("any text with any newlines and chunk boundaries yields the same events and loses no byte", () => {
    const line = fc.string({ unit: "grapheme" }).filter((text) => !/[\r\n]/.test(text));
    const payloads = fc.array(fc.array(line, { minLength: 1, maxLength: 3 }), { maxLength: 6 });
    fc.assert(
      fc.property(payloads, fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat()), (events, newline, cuts) => {
        const text = events.map((lines) => lines.map((l) => `data: ${l}${newline}`).join("") + newline).join("");
        const bytes = encode(text);
        const framed = frame(bytes, cuts);
        const said = framed.events.map((event) => readFields(event).data).filter((data) => data !== null);
        expect(said).toEqual(events.map((lines) => lines.join("\n")));
        expect(framed.events.map((event) => decode(event.bytes)).join("")).toBe(text);
        expect(framed.rest).toBeNull();
      }),
    );
  });

  test("a line feed that comes after its event has gone out is passed on by itself, before the next event", () => {
    const framer = createSseFramer(1_000);
    const pushed = ["data: 1\r\n\r", "\ndata: [DONE]\r\n\r", "\n"].map((piece) => framer.push(encode(piece)));
    const texts = pushed.map((events) => events.map((event) => decode(event.bytes)));
    expect(texts).toEqual([["data: 1\r\n\r"], ["\n", "data: [DONE]\r\n\r"], ["\n"]]);
    expect(framer.rest()).toBeNull();
  });

  test("the rest is the text after the last blank line", () => {
    const framed = frame(encode("data: 1\n\ndata: 2"), [3]);
    expect(framed.events.length).toBe(1);
    expect(framed.rest && readFields(framed.rest).data).toBe("2");
  });

  test("an event that exceeds the limit throws", () => {
    const framer = createSseFramer(100);
    expect(framer.push(encode("x".repeat(90)))).toEqual([]);
    expect(() => framer.push(encode("x".repeat(20)))).toThrow(EventTooLarge);
  });
});

describe("fields", () => {
  test("event names, comments, missing spaces and lines without a colon are parsed", () => {
    expect(readFields({ bytes: encode(": note\nevent: ping\ndata:{}\n\n") })).toEqual({ event: "ping", data: "{}" });
    expect(readFields({ bytes: encode(": only a comment\n\n") })).toEqual({ event: null, data: null });
    expect(readFields({ bytes: encode("data\ndata: x\n\n") })).toEqual({ event: null, data: "\nx" });
  });
});
