import { describe, expect, test } from "bun:test";
import type { StreamEvent } from "../../../conversation/stream.ts";
import { GatewayError } from "../../../errors.ts";
import { openGeminiStreamEncoder } from "./encode-stream.ts";
import type { StreamForm } from "./stream-framing.ts";
import { exampleUsage } from "../../../conversation/usage.testkit.ts";

const context = { callerBody: {}, model: "m", fallbackId: "f1", created: 1, estimatedInputTokens: 1 };
const start: StreamEvent = { type: "response-start", id: "r1", model: "m1", created: null };
const end: StreamEvent = { type: "response-end" };
const at = (index: number, candidate = 0) => ({ candidate, index });
const finish = (reason: "stop" | "tool-calls", candidate = 0): StreamEvent => ({
  type: "finish",
  candidate,
  finish: { reason },
});
const usage: StreamEvent = { type: "usage", usage: exampleUsage({ output: 5 }) };

interface Chunk {
  readonly candidates: readonly {
    readonly index: number;
    readonly content: { readonly role: string; readonly parts: readonly Record<string, unknown>[] };
    readonly finishReason?: string;
  }[];
  readonly usageMetadata?: object;
  readonly responseId: string;
  readonly modelVersion: string;
}

function written(events: readonly StreamEvent[], form?: StreamForm): string {
  const encoder = openGeminiStreamEncoder(context, form);
  return events.map((event) => encoder.push(event)).join("") + encoder.terminator();
}

function chunksOf(events: readonly StreamEvent[]): Chunk[] {
  const records = written(events).split("\n\n");
  expect(records.pop()).toBe("");
  return records.map((record) => {
    expect(record.startsWith("data: ")).toBe(true);
    return JSON.parse(record.slice(6)) as Chunk;
  });
}

const calls: StreamEvent[] = [
  start,
  { type: "part-start", ...at(0), part: { type: "tool-call", kind: "function", id: "c1", name: "f", input: "" } },
  { type: "input-delta", ...at(0), input: '{"a"' },
  { type: "part-start", ...at(1), part: { type: "tool-call", kind: "function", id: "c2", name: "g", input: "" } },
  { type: "input-delta", ...at(1), input: '{"b":2}' },
  { type: "part-end", ...at(1) },
  { type: "input-delta", ...at(0), input: ":1}" },
  { type: "signature-delta", ...at(0), signature: { vendor: "google", value: "s" } },
  { type: "part-end", ...at(0) },
  finish("tool-calls"),
  usage,
  end,
];

test("calls are sent complete and in order, however their arguments interleave", () => {
  const chunks = chunksOf(calls);
  expect(chunks.map((chunk) => chunk.candidates[0]?.content.parts)).toEqual([
    [{ functionCall: { id: "c1", name: "f", args: { a: 1 } }, thoughtSignature: "s" }],
    [{ functionCall: { id: "c2", name: "g", args: { b: 2 } } }],
    [{ text: "" }],
  ]);
});

test("client libraries accept every chunk; only the last has the finish reason and the usage", () => {
  const chunks = chunksOf(calls);
  for (const chunk of chunks) {
    expect(chunk.responseId).toBe("r1");
    expect(chunk.modelVersion).toBe("m1");
    expect(chunk.candidates[0]?.content.role).toBe("model");
    expect(chunk.candidates[0]?.content.parts.length).toBe(1);
  }
  expect(chunks.map((chunk) => chunk.candidates[0]?.finishReason)).toEqual([undefined, undefined, "STOP"]);
  expect(chunks.map((chunk) => chunk.usageMetadata)).toEqual([
    undefined,
    undefined,
    { promptTokenCount: 0, candidatesTokenCount: 5, totalTokenCount: 5 },
  ]);
});

test("text is sent at once, thoughts are marked, signatures are sent at the end of their part", () => {
  const chunks = chunksOf([
    start,
    { type: "part-start", ...at(0), part: { type: "reasoning", text: "" } },
    { type: "text-delta", ...at(0), text: "Hm." },
    { type: "signature-delta", ...at(0), signature: { vendor: "google", value: "s" } },
    { type: "part-end", ...at(0) },
    { type: "part-start", ...at(1), part: { type: "text", text: "" } },
    { type: "text-delta", ...at(1), text: "So" },
    { type: "text-delta", ...at(1), text: "." },
    { type: "part-end", ...at(1) },
    finish("stop"),
    end,
  ]);
  expect(chunks.flatMap((chunk) => chunk.candidates[0]?.content.parts)).toEqual([
    { text: "Hm.", thought: true },
    { text: "", thought: true, thoughtSignature: "s" },
    { text: "So" },
    { text: "." },
    { text: "" },
  ]);
});

test("several candidates finish together", () => {
  const say = (candidate: number, text: string): StreamEvent[] => [
    { type: "part-start", ...at(0, candidate), part: { type: "text", text: "" } },
    { type: "text-delta", ...at(0, candidate), text },
    { type: "part-end", ...at(0, candidate) },
    finish("stop", candidate),
  ];
  const chunks = chunksOf([start, ...say(0, "a"), ...say(1, "b"), end]);
  expect(chunks.at(-1)?.candidates.map(({ index, finishReason }) => [index, finishReason])).toEqual([
    [0, "STOP"],
    [1, "STOP"],
  ]);
});

test("a truncated call is named in the finish message", () => {
  const cut = calls.filter((event) => !(event.type === "input-delta" && event.input === ":1}"));
  expect(written(cut)).toContain(`"finishMessage":"The arguments of a call of the function 'f' were cut short."`);
});

describe("the array", () => {
  test("is one JSON value, whose items come one by one", () => {
    const chunks = JSON.parse(written(calls, "array")) as Chunk[];
    expect(chunks).toEqual(chunksOf(calls));
    const encoder = openGeminiStreamEncoder(context, "array");
    const pieces = calls.map((event) => encoder.push(event)).filter((piece) => piece !== "");
    expect(pieces.map((piece) => piece[0])).toEqual(["[", ","]);
    expect(encoder.terminator()).toBe("]");
  });

  test("stays valid JSON if the stream breaks, before or after its start", () => {
    const error = GatewayError.of("upstream_error", "The provider's connection broke.");
    for (const begun of [[], calls.slice(0, 9)]) {
      const encoder = openGeminiStreamEncoder(context, "array");
      const text = begun.map((event) => encoder.push(event)).join("") + encoder.fail(error, "req_1");
      expect((JSON.parse(text) as object[]).at(-1)).toMatchObject({ error: { code: 502, status: "UNAVAILABLE" } });
    }
  });
});

test("a broken stream ends with an error as a separate event", () => {
  const text = openGeminiStreamEncoder(context).fail(GatewayError.of("idle_timeout", "Too slow."), "req_1");
  expect(text.endsWith("\n\n")).toBe(true);
  expect(JSON.parse(text.slice("data: ".length))).toMatchObject({ error: { code: 504, status: "DEADLINE_EXCEEDED" } });
});
