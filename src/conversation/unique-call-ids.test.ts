import { expect, test } from "bun:test";
import type { Part } from "./parts.ts";
import { uniqueCallIds, withUniqueCallIds } from "./unique-call-ids.ts";

const call = (id: string): Part => ({ type: "tool-call", kind: "function", id, name: "f", input: "{}" });
const ids = (parts: readonly Part[]) => parts.map((part) => (part.type === "tool-call" ? part.id : null));

const given = ["a", "a", "a_2", "", "", "b"];
const unique = ["a", "a_2", "a_2_2", "", "call_2", "b"];

test("an id that is given twice, or not at all, becomes another one", () => {
  const candidate = {
    parts: [{ type: "text", text: "Hi" } as const, ...given.map(call)],
    finish: { reason: "stop" } as const,
  };
  const answer = { id: null, model: null, created: null, candidates: [candidate, candidate], usage: null };
  const made = withUniqueCallIds(answer);
  for (const { parts } of made.candidates) expect(ids(parts)).toEqual([null, ...unique]);
});

test("also in a stream, whose candidates are answers by themselves", () => {
  const make = uniqueCallIds();
  const started = (candidate: number) =>
    given.flatMap((id, index) => {
      const event = make({ type: "part-start", candidate, index, part: call(id) });
      return event.type === "part-start" ? ids([event.part]) : [];
    });
  expect(started(0)).toEqual(unique);
  expect(started(1)).toEqual(unique);
  const text = { type: "text-delta", candidate: 0, index: 0, text: "Hi" } as const;
  expect(make(text)).toBe(text);
});
