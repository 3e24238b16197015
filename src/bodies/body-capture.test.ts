import { expect, test } from "bun:test";
import { BodyCapture } from "./body-capture.ts";
import { usualBodyLogPolicy } from "./body-log-policy.ts";
import { createBodyMemory } from "./body-memory.ts";
import { createForm } from "../multipart/form.ts";

const none = { kind: "none" } as const;
const textOf = (capture: BodyCapture) => {
  const answer = capture.answer();
  return answer.kind === "bytes"
    ? { text: Buffer.concat(answer.pieces).toString(), count: answer.pieces.length }
    : null;
};

test("a stream in pieces of a byte takes a few blocks", () => {
  const capture = new BodyCapture("a", usualBodyLogPolicy, none, createBodyMemory(1 << 20));
  capture.beginStream("text/event-stream");
  const text = "0123456789".repeat(10_000);
  for (const byte of Buffer.from(text)) capture.addPiece(Uint8Array.of(byte));
  const kept = textOf(capture);
  expect(kept?.text).toBe(text);
  expect(kept?.count).toBeLessThan(20);
});

test("nothing is captured after a gap, though there is room again", () => {
  const memory = createBodyMemory(100);
  const capture = new BodyCapture("a", usualBodyLogPolicy, none, memory);
  capture.beginStream("text/event-stream");
  capture.addPiece(Buffer.from("first "));
  memory.hold(90);
  capture.addPiece(Buffer.from("second "));
  memory.release(90);
  capture.addPiece(Buffer.from("third"));
  expect(textOf(capture)?.text).toBe("first ");
  expect(capture.answer()).toMatchObject({ bytes: 18 });
});

test("the fields of a form count as memory", () => {
  const value = "x".repeat(1_000);
  const form = createForm([{ kind: "field", name: "prompt", writtenName: "prompt", value }]);
  const capture = new BodyCapture("a", usualBodyLogPolicy, { kind: "multipart", form }, createBodyMemory(500));
  expect(capture.request).toMatchObject({ kind: "omitted", why: "overloaded" });
});
