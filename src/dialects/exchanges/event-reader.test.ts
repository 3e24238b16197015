import { expect, test } from "bun:test";
import fc from "fast-check";
import { overloaded } from "../../errors.ts";
import { readFields } from "../../sse/event.ts";
import { type EventStream, framedCollector, framedStream, maxEventBytes } from "./event-reader.ts";
import { AnswerFault } from "../exchange.ts";

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | null) => (bytes === null ? null : new TextDecoder().decode(bytes));

const observation = { responseId: null, usage: null, producedText: () => "" };

/** Says the data of each event in angle brackets. `stop` is the last event, `fault` and `bug` throw, `quiet` says nothing. */
function eventsWithData(): EventStream & { readonly read: string[] } {
  const read: string[] = [];
  return {
    read,
    push(event) {
      const { data } = readFields(event);
      read.push(data ?? "(comment)");
      if (data === "fault") throw new AnswerFault("The provider said so.");
      if (data === "bug") throw new TypeError("A mistake of the gateway's own.");
      return data === "quiet" || data === null ? null : bytesOf(`<${data}>`);
    },
    end() {
      if (read.at(-1) === "early") throw new AnswerFault("It ended too early.");
      return bytesOf("<end>");
    },
    get started() {
      return read.length > 0;
    },
    get finished() {
      return read.includes("stop");
    },
    observation,
    contentType: "text/event-stream",
    keepAlive: bytesOf(": alive\n\n"),
    terminator: () => bytesOf("<over>"),
    fail: (error, requestId) => bytesOf(`<${error.type} ${requestId}>`),
  };
}

const event = (data: string) => `data: ${data}\n\n`;

test("each event is read once and passed on in order, however the bytes are split", () => {
  const words = fc.array(fc.constantFrom("a", "b", "quiet", "é🙂"), { minLength: 1 });
  fc.assert(
    fc.property(words, fc.constantFrom("\n", "\r\n", "\r"), fc.array(fc.nat()), (data, newline, cuts) => {
      const bytes = bytesOf(data.map(event).join("").replaceAll("\n", newline));
      const edges = [0, ...cuts.map((cut) => cut % bytes.length).sort((a, b) => a - b), bytes.length];
      const stream = framedStream(eventsWithData());
      const sent = edges.slice(1).map((end, index) => textOf(stream.push(bytes.slice(edges[index], end))) ?? "");
      const said = data.filter((word) => word !== "quiet").map((word) => `<${word}>`);
      expect(sent.join("")).toBe(said.join(""));
      expect(textOf(stream.end())).toBe("<end>");
      expect(stream.fault).toBeNull();
    }),
  );
});

test("a piece without the end of an event yields nothing, nor does an event without data", () => {
  const stream = framedStream(eventsWithData());
  expect(stream.push(bytesOf("data: a\n"))).toBeNull();
  expect(stream.started).toBe(false);
  expect(textOf(stream.push(bytesOf("\n")))).toBe("<a>");
  expect(stream.started).toBe(true);
  expect(stream.push(bytesOf(event("quiet")))).toBeNull();
});

test("valid events before a fault in the same piece are passed on, and none after it are read", () => {
  const events = eventsWithData();
  const stream = framedStream(events);
  expect(textOf(stream.push(bytesOf(event("a") + event("b") + event("fault") + event("c"))))).toBe("<a><b>");
  expect(stream.fault).toMatchObject({ message: "The provider said so." });
  expect(stream.push(bytesOf(event("d")))).toBeNull();
  expect(stream.end()).toBeNull();
  expect(events.read).toEqual(["a", "b", "fault"]);
});

test("nothing is read after the last event", () => {
  const events = eventsWithData();
  const stream = framedStream(events);
  expect(textOf(stream.push(bytesOf(event("stop") + event("fault"))))).toBe("<stop>");
  expect(stream.push(bytesOf(event("fault")))).toBeNull();
  expect(textOf(stream.end())).toBe("<end>");
  expect(events.read).toEqual(["stop"]);
  expect(stream.finished).toBe(true);
  expect(stream.fault).toBeNull();
});

test("a last event without its blank line is read at the end; a fault at the end is reported", () => {
  const stream = framedStream(eventsWithData());
  expect(stream.push(bytesOf("data: a"))).toBeNull();
  expect(textOf(stream.end())).toBe("<a><end>");
  const early = framedStream(eventsWithData());
  expect(textOf(early.push(bytesOf(event("a"))))).toBe("<a>");
  early.push(bytesOf("data: early"));
  expect(textOf(early.end())).toBe("<early>");
  expect(early.fault).toMatchObject({ message: "It ended too early." });
});

test("an event above the size limit is a provider fault", () => {
  const stream = framedStream(eventsWithData());
  expect(textOf(stream.push(bytesOf(event("a"))))).toBe("<a>");
  const piece = new Uint8Array(maxEventBytes / 2).fill(0x61);
  for (const _ of [1, 2]) expect(stream.push(piece)).toBeNull();
  expect(stream.fault).toBeNull();
  expect(stream.push(piece)).toBeNull();
  expect(stream.fault).toBeInstanceOf(AnswerFault);
});

test("an error of the gateway is not reported as a provider fault", () => {
  const stream = framedStream(eventsWithData());
  expect(() => stream.push(bytesOf(event("bug")))).toThrow(TypeError);
  expect(stream.fault).toBeNull();
});

test("keep-alives and terminators are those of the dialect", () => {
  const stream = framedStream(eventsWithData());
  expect(stream.contentType).toBe("text/event-stream");
  expect(textOf(stream.keepAlive)).toBe(": alive\n\n");
  expect(textOf(stream.terminator())).toBe("<over>");
  expect(textOf(stream.fail(overloaded("overloaded", "Too much.", 1), "req_1"))).toBe("<overloaded_error req_1>");
  expect(stream.observation).toBe(observation);
});

test("a collector reads the same events, and gives the whole answer", () => {
  const events = eventsWithData();
  const whole = { body: "{}", observation };
  const collector = framedCollector({
    push: (read) => events.push(read),
    end: () => null,
    started: true,
    finished: false,
    observation,
    answer: () => whole,
  });
  collector.push(bytesOf("data: a\n\ndata: fa"));
  collector.push(bytesOf("ult\n\ndata: b\n\n"));
  expect(events.read).toEqual(["a", "fault"]);
  expect(collector.fault).toBeInstanceOf(AnswerFault);
  expect(collector.answer()).toBe(whole);
});
