import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "./arbitraries.testkit.ts";
import { openCollector } from "./collect.ts";
import { eventsOf } from "./events-of.ts";
import { openPartQueue } from "./one-part-at-a-time.ts";
import type { ConversationResponse } from "./response.ts";
import type { StreamEvent } from "./stream.ts";
import { validateStream } from "./validate-stream.testkit.ts";

const answers = arbitrary.response(arbitrary.signedReasoning("anthropic"), arbitrary.reportedUsage("split"));

function collect(events: readonly StreamEvent[]): ConversationResponse {
  const collector = openCollector();
  for (const event of events) collector.push(event);
  return collector.response();
}

test("an answer as events, cut into pieces and collected, is the answer", () => {
  fc.assert(
    fc.property(answers, fc.integer({ min: 1, max: 9 }), (answer, size) => {
      const events = arbitrary.inPieces(eventsOf(answer), size);
      validateStream(events);
      expect(arbitrary.bare(collect(events))).toEqual(arbitrary.bare(answer));
    }),
  );
});

/** The events of a candidate's parts, shuffled among the parts and in order within each, starts in order of index. */
function interleaved(events: readonly StreamEvent[], picks: readonly number[]): StreamEvent[] {
  const byPart = new Map<number, StreamEvent[]>();
  const rest: StreamEvent[] = [];
  for (const event of events) {
    if (!("index" in event)) rest.push(event);
    else byPart.set(event.index, [...(byPart.get(event.index) ?? []), event]);
  }
  const mixed: StreamEvent[] = [...byPart.values()].flatMap((own) => own.splice(0, 1));
  for (let pick = 0; byPart.size > 0; pick++) {
    const keys = [...byPart.keys()];
    const key = keys[(picks[pick % picks.length] ?? 0) % keys.length] ?? 0;
    const next = byPart.get(key)?.shift();
    if (next === undefined) byPart.delete(key);
    else mixed.push(next);
  }
  const finish = rest.findIndex((event) => event.type === "finish");
  return [...rest.slice(0, finish), ...mixed, ...rest.slice(finish)];
}

test("interleaved parts are passed on one at a time, with the same content", () => {
  const picks = fc.array(fc.nat(7), { minLength: 1, maxLength: 20 });
  fc.assert(
    fc.property(answers, picks, fc.integer({ min: 1, max: 9 }), (answer, order, size) => {
      const events = interleaved(arbitrary.inPieces(eventsOf(answer), size), order);
      validateStream(events);
      const queue = openPartQueue();
      const passed = events.flatMap((event) => queue.push(event));
      validateStream(passed);
      let open: number | null = null;
      for (const event of passed) {
        if (!("index" in event)) continue;
        if (event.type === "part-start") {
          expect(open).toBeNull();
          open = event.index;
        }
        expect(event.index).toBe(open ?? -1);
        if (event.type === "part-end") open = null;
      }
      expect(arbitrary.bare(collect(passed))).toEqual(arbitrary.bare(answer));
    }),
  );
});

describe("the grammar", () => {
  const start: StreamEvent = { type: "response-start", id: null, model: null, created: null };
  const at = { candidate: 0, index: 0 };
  const open: StreamEvent = { type: "part-start", ...at, part: { type: "text", text: "" } };
  const delta: StreamEvent = { type: "text-delta", ...at, text: "a" };
  const close: StreamEvent = { type: "part-end", ...at };
  const finish: StreamEvent = { type: "finish", candidate: 0, finish: { reason: "stop" } };
  const end: StreamEvent = { type: "response-end" };

  test("accepts a valid stream", () => {
    expect(() => validateStream([start, open, delta, close, finish, end])).not.toThrow();
    expect(() => validateStream([start, finish, end])).not.toThrow();
  });

  const broken: readonly (readonly [string, readonly StreamEvent[]])[] = [
    ["no start", [open, close, finish, end]],
    ["two starts", [start, start, finish, end]],
    ["no end", [start, finish]],
    ["something after the end", [start, finish, end, finish]],
    ["no candidate", [start, end]],
    ["a candidate without finish", [start, open, close, end]],
    ["a part left open", [start, open, finish, end]],
    ["a delta before its part", [start, delta, open, close, finish, end]],
    ["a delta after its part", [start, open, close, delta, finish, end]],
    ["an index left out", [start, { ...open, index: 1 }, { ...close, index: 1 }, finish, end]],
    ["an index twice", [start, open, close, open, close, finish, end]],
    ["input for text", [start, open, { type: "input-delta", ...at, input: "a" }, close, finish, end]],
    ["a part after the finish", [start, finish, open, close, end]],
    ["two finishes", [start, finish, finish, end]],
  ];
  for (const [what, events] of broken) {
    test(`refuses ${what}`, () => expect(() => validateStream(events)).toThrow());
  }
});
