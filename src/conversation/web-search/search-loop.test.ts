import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { anyAnswer, inPieces } from "../arbitraries.testkit.ts";
import { openCollector } from "../collect.ts";
import { eventsOf } from "../events-of.ts";
import type { Part, ToolCallPart } from "../parts.ts";
import type { ConversationRequest } from "../request.ts";
import type { ConversationResponse, FinishReason } from "../response.ts";
import type { StreamEvent } from "../stream.ts";
import { validateStream } from "../validate-stream.testkit.ts";
import { SearchLoop } from "./search-loop.ts";

const conversation: ConversationRequest = {
  model: "m",
  stream: false,
  messages: [{ role: "user", parts: [{ type: "text", text: "Hi" }] }],
  tools: [{ type: "function", name: "web_search" }],
  toolChoice: { type: "required" },
  spelling: {},
};
const maxSearches = 3;
const pages = [{ url: "https://a.example/", title: "A", snippet: "About A.", publishedAt: null }];

const call = (id: string, query: string | null, name = "web_search"): ToolCallPart => ({
  type: "tool-call",
  kind: "function",
  id,
  name,
  input: query === null ? "no JSON" : JSON.stringify({ query }),
});
const usage = (input: number, output: number): ConversationResponse["usage"] => ({
  quantities: { input, output },
  input: "final",
  output: "final",
  reasoning: null,
  raw: { input, output },
});
const round = (parts: readonly Part[], reason: FinishReason = "tool-calls"): ConversationResponse => ({
  id: "1",
  model: "m",
  created: 1,
  usage: usage(10, 5),
  candidates: [{ parts, finish: { reason } }],
});

/** Puts the rounds through the loop until it asks for no more. */
function run(rounds: readonly ConversationResponse[], size = 1_000) {
  const loop = new SearchLoop({ conversation, toolName: "web_search", maxSearches }, "key");
  const events: StreamEvent[] = [];
  const requests: ConversationRequest[] = [];
  let searched = 0;
  for (const response of rounds) {
    for (const event of inPieces(eventsOf(response), size)) events.push(...loop.take(event));
    if (loop.asked.length === 0) break;
    for (const query of loop.asked) {
      const begun = loop.begin(query);
      if (begun.isAllowed) searched++;
      events.push(...begun.events);
      events.push(...loop.found(query, begun.isAllowed ? { pages } : loop.refusal(query), begun.isAllowed ? 1 : 0));
    }
    const { request, events: told } = loop.next();
    requests.push(request);
    events.push(...told);
  }
  const collector = openCollector();
  for (const event of events) collector.push(event);
  return { events, answer: collector.response(), requests, searched };
}

describe("the answer of several rounds", () => {
  const rounds = [
    round([{ type: "text", text: "Wait." }, call("a", "x"), call("a", "y")]),
    round([{ type: "text", text: "So [1], not [9]." }], "stop"),
  ];

  test("has the parts of all of them, with the searches in place of their calls", () => {
    const { answer, searched } = run(rounds);
    expect(answer.candidates[0]?.parts).toMatchObject([
      { type: "text", text: "Wait." },
      { type: "web-search", id: "key000", query: "x", outcome: { pages } },
      { type: "web-search", id: "key001", query: "y", outcome: { pages } },
      { type: "text", text: "So [1], not [9].", citations: [{ url: "https://a.example/", start: 3, end: 6 }] },
    ]);
    expect(answer.candidates[0]?.finish).toEqual({ reason: "stop" });
    expect(searched).toBe(2);
  });

  test("has used what all of them have, and the searches", () => {
    const { quantities, input, output, raw } = run(rounds).answer.usage ?? {};
    expect({ quantities, input, output }).toEqual({
      quantities: { input: 20, output: 10, web_search: 2 },
      input: "final",
      output: "final",
    });
    expect(raw).toEqual({ rounds: [usage(10, 5)?.raw, usage(10, 5)?.raw] });
  });

  test("that breaks off in a later one has read at least what the earlier one has", () => {
    const { answer } = run(rounds.slice(0, 1));
    expect(answer.usage).toMatchObject({ input: "so_far", output: "so_far" });
    expect(answer.usage?.quantities.input).toBeGreaterThan(10 + 15);
  });

  test("sends the model its own turn back, and a result for each call", () => {
    const [request] = run(rounds).requests;
    const [, turn, results] = request?.messages ?? [];
    expect(turn?.parts.map((part) => (part.type === "tool-call" ? part.id : part.type))).toEqual(["text", "a", "a_2"]);
    expect(results?.parts.map((part) => (part.type === "tool-result" ? part.callId : part.type))).toEqual(["a", "a_2"]);
    expect(request?.toolChoice).toEqual({ type: "auto" });
  });

  test("withdraws the function once its searches are used up, and drops calls of it", () => {
    const searching = Array.from({ length: 6 }, (_, number) => round([call(`c${number}`, "x")]));
    const { answer, requests, searched } = run(searching);
    expect(searched).toBe(maxSearches);
    expect(requests).toHaveLength(maxSearches);
    expect(requests.at(-1)).toMatchObject({ toolChoice: { type: "none" } });
    expect(answer.candidates[0]?.finish).toEqual({ reason: "stop" });
  });

  test("ends with calls of the caller's own, and at a limit", () => {
    const own = run([round([call("a", "x"), call("b", "{}", "mine")])]);
    expect(own.answer.candidates[0]).toMatchObject({ parts: [{ name: "mine" }], finish: { reason: "tool-calls" } });
    const cut = run([round([call("a", "x")], "length")]);
    expect(cut.answer.candidates[0]).toEqual({ parts: [], finish: { reason: "length" }, logprobs: undefined });
    expect([own.searched, cut.searched]).toEqual([0, 0]);
  });
});

test("whatever the rounds are, they make one valid stream, however it is cut", () => {
  const query = fc.constantFrom("x", "", null);
  const calls = fc.array(query, { maxLength: 4 }).map((queries) => queries.map((each, id) => call(`c${id}`, each)));
  const anyRound = fc.tuple(anyAnswer, calls, fc.boolean()).map(([answer, searches, isOpen]) => ({
    ...answer,
    candidates: answer.candidates.map((candidate) => ({
      ...candidate,
      parts: isOpen ? [...candidate.parts, ...searches] : candidate.parts,
      finish: isOpen && searches.length > 0 ? { reason: "tool-calls" as const } : candidate.finish,
    })),
  }));
  fc.assert(
    fc.property(fc.array(anyRound, { minLength: 1, maxLength: 6 }), fc.integer({ min: 1, max: 9 }), (rounds, size) => {
      const last = round([{ type: "text", text: "The end." }], "stop");
      const { events, searched } = run([...rounds, last], size);
      validateStream(events);
      expect(searched).toBeLessThanOrEqual(maxSearches);
    }),
    { numRuns: 300 },
  );
});
