import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { overloaded } from "../../errors.ts";
import type { DialectCodec } from "../codec.ts";
import { maxEventBytes } from "./event-reader.ts";
import { AnswerFault, type AnswerStream } from "../exchange.ts";
import { chatStreamForm } from "../openai-chat/chat.ts";
import { chatCodec } from "../openai-chat/conversation/codec.ts";
import { passThrough } from "./pass-through.ts";

/** The same dialect, each of whose events is parsed. */
const parsingCodec: DialectCodec = { ...chatCodec, provider: { ...chatCodec.provider, textPassesUnread: false } };

const context = { callerBody: {}, model: "m", fallbackId: "own", created: 1, estimatedInputTokens: 1 };
const request = { dialect: "openai-chat", method: "POST", path: "/chat/completions", headers: {}, body: "" } as const;

function open({ codec = chatCodec, asksForUsage = true } = {}): AnswerStream {
  return passThrough({ codec, request, context, form: chatStreamForm(asksForUsage) }).openStream();
}

const bytesOf = (text: string) => new TextEncoder().encode(text);
const textOf = (bytes: Uint8Array | null) => (bytes === null ? "" : new TextDecoder().decode(bytes));

/** Cuts bytes at the given offsets into pieces, none of them empty. */
function cutAt(bytes: Uint8Array, offsets: readonly number[]): Uint8Array[] {
  const edges = [...new Set([0, ...offsets.map((offset) => offset % bytes.length), bytes.length])];
  edges.sort((a, b) => a - b);
  return edges.slice(1).map((end, index) => bytes.slice(edges[index], end));
}

/** The bytes that a stream passes on for these pieces, without the terminator. */
function passed(stream: AnswerStream, pieces: readonly Uint8Array[], hasEnded = true): string {
  const sent = pieces.map((piece) => stream.push(piece));
  if (hasEnded) sent.push(stream.end());
  return textOf(Buffer.concat(sent.filter((bytes) => bytes !== null)));
}

const chunk = (fields: object) => ({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, ...fields });
const says = (content: string, index = 0) => chunk({ choices: [{ index, delta: { content }, finish_reason: null }] });
const finish = (index = 0) => chunk({ choices: [{ index, delta: {}, finish_reason: "stop" }] });
const counts = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const usageChunk = chunk({ choices: [], usage: counts });
const data = (json: object) => `data: ${JSON.stringify(json)}\n\n`;
const done = "data: [DONE]\n\n";

/** Writes JSON with other text in place of the colons and commas that are not within strings. */
const punctuated = (marks: Readonly<Record<string, string>>) => (value: object) =>
  JSON.stringify(value).replaceAll(/"(?:[^"\\]|\\.)*"|[:,]/g, (token) => marks[token] ?? token);

/** Ways in which servers write JSON. */
const writers = {
  compact: punctuated({}),
  // Python's.
  spaced: punctuated({ ":": ": ", ",": ", " }),
  "before the colon": punctuated({ ":": " :" }),
  "two spaces": punctuated({ ":": ":  " }),
  tab: punctuated({ ":": ":\t" }),
} as const;

interface Example {
  /** Each with the blank line at its end. */
  readonly events: readonly { readonly text: string; readonly isUsage: boolean }[];
  readonly cuts: readonly number[];
}

/** Good streams of one to three choices, with comments between their events. */
function streams(writerNames: readonly (keyof typeof writers)[], newlines: readonly string[]): fc.Arbitrary<Example> {
  // The text is of any kind, and tries to be taken for more than text.
  const text = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom('"usage":{', "[DONE]", '"error"', "}\n\n", '" :'),
  );
  const pieces = fc.array(fc.record({ text, index: fc.nat({ max: 2 }), hasCount: fc.boolean() }), { minLength: 1 });
  return fc
    .record({
      pieces,
      writer: fc.constantFrom(...writerNames),
      newline: fc.constantFrom(...newlines),
      comments: fc.array(fc.nat()),
      cuts: fc.array(fc.nat()),
    })
    .map(({ pieces, writer, newline, comments, cuts }) => {
      const event = (value: object, isUsage = false) => ({
        text: `data: ${writers[writer](value)}${newline}${newline}`,
        isUsage,
      });
      const events = pieces.map(({ text, index, hasCount }) =>
        event(hasCount ? { ...says(text, index), usage: counts } : says(text, index)),
      );
      for (const index of new Set(pieces.map((piece) => piece.index))) events.push(event(finish(index)));
      events.push(event(usageChunk, true));
      for (const place of comments) {
        events.splice(place % events.length, 0, { text: `: waiting${newline}${newline}`, isUsage: false });
      }
      return { events: [...events, { text: `data: [DONE]${newline}${newline}`, isUsage: false }], cuts };
    });
}

const usual = ["compact", "spaced"] as const;
const everyWriter = Object.keys(writers) as (keyof typeof writers)[];

describe("a chat stream, split anywhere", () => {
  test("every byte passes but those of [DONE], which is the terminator", () => {
    fc.assert(
      fc.property(streams(usual, ["\n", "\r\n", "\r"]), ({ events, cuts }) => {
        const stream = open();
        const text = events.map((event) => event.text).join("");
        const sent = passed(stream, cutAt(bytesOf(text), cuts));
        expect(sent).toBe(text.slice(0, text.lastIndexOf("data: [DONE]")));
        expect(stream).toMatchObject({ fault: null, started: true, finished: true });
        expect(textOf(stream.terminator())).toBe(done);
      }),
    );
  });

  test("a usage chunk that the caller did not ask for is dropped, but read", () => {
    fc.assert(
      fc.property(streams(everyWriter, ["\n", "\r\n", "\r"]), ({ events, cuts }) => {
        const stream = open({ asksForUsage: false });
        const pieces = cutAt(bytesOf(events.map((event) => event.text).join("")), cuts);
        const expected = events.slice(0, -1).filter(({ isUsage }) => !isUsage);
        expect(passed(stream, pieces)).toBe(expected.map(({ text }) => text).join(""));
        expect(stream.fault).toBeNull();
        expect(stream.observation.usage).toMatchObject({ quantities: { input: 9, output: 4 }, output: "final" });
      }),
    );
  });

  test("the second half of a dropped chunk's last CRLF is dropped too", () => {
    const stream = open({ asksForUsage: false });
    const crlf = (text: string) => text.replaceAll("\n", "\r\n");
    const kept = crlf(data(says("Hello")) + data(finish()));
    const bytes = bytesOf(kept + crlf(data(usageChunk) + done));
    expect(passed(stream, cutAt(bytes, bytes.keys().toArray()))).toBe(kept);
  });

  test("the same is observed as if every event were parsed, also of a stream that breaks off", () => {
    const observed = (codec: DialectCodec, pieces: readonly Uint8Array[], asksForUsage: boolean) => {
      const stream = open({ codec, asksForUsage });
      const sent = passed(stream, pieces, false);
      const { responseId, usage } = stream.observation;
      return [sent, stream.started, stream.finished, responseId, usage, stream.observation.producedText()];
    };
    fc.assert(
      fc.property(
        streams(everyWriter, ["\n", "\r\n"]),
        fc.double({ min: 0, max: 1, noNaN: true }),
        fc.boolean(),
        ({ events, cuts }, share, asksForUsage) => {
          const bytes = bytesOf(events.map((event) => event.text).join(""));
          const pieces = cutAt(bytes.slice(0, Math.max(1, Math.round(bytes.length * share))), cuts);
          expect(observed(chatCodec, pieces, asksForUsage)).toEqual(observed(parsingCodec, pieces, asksForUsage));
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe.each([
  ["leaving text unread", chatCodec],
  ["parsing every event", parsingCodec],
])("%s", (_way, codec) => {
  const good = data(says("Hello"));
  const error = { error: { message: "Overloaded.", type: "server_error", code: "overloaded" } };

  test.each([
    ["an error event", data(error)],
    ["an error event with CRLF", data(error).replaceAll("\n", "\r\n")],
    ["an error event by its name", `event: error\n${data({ message: "Overloaded." })}`],
    ["a piece of text and an error at once", data({ ...says("x"), ...error })],
    ["text with a comma too many", data(says("x")).replace("{", "{,")],
    ["text with a brace too few", data(says("x")).replace("}]}", "}]")],
    ["what is not JSON", "data: {not JSON}\n\n"],
  ])("the events before %s stand, however it is cut, and nothing behind it passes", (_name, broken) => {
    const second = [" there", ",", " you"].map((word) => data(says(word))).join("");
    const bytes = bytesOf(second + broken + data(says("never")));
    for (const offsets of [[], bytes.keys().toArray()]) {
      const stream = open({ codec });
      expect(textOf(stream.push(bytesOf(good)))).toBe(good);
      expect(passed(stream, cutAt(bytes, offsets))).toBe(second);
      expect(stream.fault).toBeInstanceOf(AnswerFault);
      expect(stream.finished).toBe(false);
      expect(stream.push(bytesOf(good))).toBeNull();
      expect(stream.end()).toBeNull();
      expect(stream.observation.producedText()).toBe("Hello there, you");
    }
  });

  test("an error has the provider's message", () => {
    const stream = open({ codec });
    stream.push(bytesOf(good + data(error)));
    expect(stream.fault?.providerError).toMatchObject({ message: "Overloaded.", code: "overloaded" });
  });

  test("a count is preliminary while another choice continues", () => {
    const stream = open({ codec });
    const events = [says("a"), says("b", 1), { ...finish(), usage: counts }];
    passed(stream, [bytesOf(events.map(data).join(""))], false);
    expect(stream.observation.usage).toMatchObject({ quantities: { output: 4 }, output: "so_far" });
  });

  test("a stream that ends before its answer does is a fault", () => {
    const stream = open({ codec });
    expect(passed(stream, [bytesOf(good)])).toBe(good);
    expect(stream.fault).toBeInstanceOf(AnswerFault);
  });

  test("a stream that ends well without [DONE] is good, as is one whose last blank line is missing", () => {
    for (const last of [data(finish()), data(finish()).trimEnd()]) {
      const stream = open({ codec });
      expect(passed(stream, [bytesOf(good + last)])).toBe(good + data(finish()));
      expect(stream.fault).toBeNull();
      expect(textOf(stream.terminator())).toBe(done);
    }
  });

  test("an event above the size limit is a fault, and takes no further memory", () => {
    const stream = open({ codec });
    expect(textOf(stream.push(bytesOf(good)))).toBe(good);
    const piece = new Uint8Array(1 << 20).fill(0x61);
    for (let bytes = 0; bytes <= maxEventBytes; bytes += piece.length) {
      expect(stream.fault).toBeNull();
      expect(stream.push(piece)).toBeNull();
    }
    expect(stream.fault?.message).toContain("too large");
    expect(stream.push(bytesOf(`\n\n${good}`))).toBeNull();
    expect(stream.observation.producedText()).toBe("Hello");
  });

  test("a large event in many pieces passes whole", () => {
    const stream = open({ codec });
    const large = data(says("x".repeat(8 << 20)));
    const bytes = bytesOf(good + large);
    const offsets = Array.from({ length: 128 }, (_, index) => (index + 1) * (64 << 10));
    expect(passed(stream, cutAt(bytes, offsets), false)).toBe(good + large);
    expect(stream.fault).toBeNull();
  });

  test("a comment does not start the answer", () => {
    const stream = open({ codec });
    expect(textOf(stream.push(bytesOf(": one\n\n: two\n\n")))).toBe(": one\n\n: two\n\n");
    expect(stream.started).toBe(false);
    stream.push(bytesOf(good));
    expect(stream.started).toBe(true);
  });

  test("a broken stream is reported in the dialect's format", () => {
    const told = textOf(open({ codec }).fail(overloaded("overloaded", "Too much.", 1), "req_1"));
    expect(told).toStartWith("data: {");
    expect(told).toEndWith("}\n\n");
    expect(JSON.parse(told.slice("data: ".length))).toMatchObject({ error: { code: "overloaded" } });
  });
});

describe("a large event", () => {
  /** The codec, and the lengths of the large data that its decoders were given. */
  function counting() {
    const parsed: number[] = [];
    const { provider } = chatCodec;
    const openStreamDecoder = () => {
      const decoder = provider.openStreamDecoder();
      const push = (text: string) => {
        if (text.length > 100_000) parsed.push(text.length);
        return decoder.push(text);
      };
      return {
        push,
        end: () => decoder.end(),
        get finished() {
          return decoder.finished;
        },
      };
    };
    return { parsed, codec: { ...chatCodec, provider: { ...provider, openStreamDecoder } } };
  }

  test.each([true, false])("is parsed once, and all is observed (usage asked for: %p)", (asksForUsage) => {
    const { parsed, codec } = counting();
    const large = says("x".repeat(200_000));
    const events = [
      says("a"),
      says("b"),
      says("c"),
      { ...large, usage: counts },
      says("d"),
      large,
      finish(),
      usageChunk,
    ];
    const stream = open({ codec, asksForUsage });
    const text = events.map(data).join("");
    const expected = asksForUsage ? text : text.slice(0, -data(usageChunk).length);
    expect(passed(stream, [bytesOf(text + done)])).toBe(expected);
    expect(stream).toMatchObject({ fault: null, finished: true });
    expect(stream.observation.responseId).toBe("chatcmpl-1");
    expect(stream.observation.usage?.quantities.output).toBe(4);
    expect(stream.observation.producedLength).toBe(400_004);
    expect(stream.observation.producedText().slice(0, 5)).toBe("abcxx");
    expect(parsed).toHaveLength(2);
  });
});

describe("the produced text", () => {
  const words = Array.from({ length: 4_000 }, (_, index) => `word${index} `);
  const text = words.join("");

  test("is complete for a stream much longer than the bytes kept", () => {
    for (const size of [1, 3, 500]) {
      const stream = open();
      for (let at = 0; at < words.length; at += size) {
        stream.push(
          bytesOf(
            words
              .slice(at, at + size)
              .map((word) => data(says(word)))
              .join(""),
          ),
        );
      }
      expect(stream.observation.producedText()).toBe(text);
      // It can be asked again, and as it grows.
      stream.push(bytesOf(data(says("more"))));
      expect(stream.observation.producedText()).toBe(`${text}more`);
    }
  });

  test("ends at an event that is not JSON", () => {
    const stream = open();
    const events = words.map((word) => data(says(word)));
    const before = events.slice(0, events.length / 2);
    const sent = [...before, "data: {not JSON}\n\n", ...events.slice(before.length)];
    expect(passed(stream, sent.map(bytesOf), false)).toBe(before.join(""));
    expect(stream.fault).toBeInstanceOf(AnswerFault);
    expect(stream.observation.producedText()).toBe(words.slice(0, before.length).join(""));
  });
});
