import { describe, expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import { openCollector } from "../../../conversation/collect.ts";
import type { ConversationResponse } from "../../../conversation/response.ts";
import { validateStream } from "../../../conversation/validate-stream.testkit.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeData } from "../../stream-bytes.testkit.ts";
import { decodeResponsesResponse } from "../answer/decode-response.ts";
import { openResponsesStreamDecoder } from "./decode-stream.ts";

const usage = { input_tokens: 5, output_tokens: 3, total_tokens: 8 };
const begun = { id: "resp_1", created_at: 7, model: "gpt-6", status: "in_progress", output: [], usage: null };
const created = { type: "response.created", response: begun };

function ended(output: readonly object[], more: object = {}): object {
  return { type: "response.completed", response: { ...begun, status: "completed", output, usage, ...more } };
}

function collect(events: readonly object[]): ConversationResponse {
  const decoded = decodeData(
    openResponsesStreamDecoder(),
    events.map((event) => JSON.stringify(event)),
  );
  validateStream(decoded);
  const collector = openCollector();
  for (const event of decoded) collector.push(event);
  return collector.response();
}

/** The stream says what its last response says as JSON. */
function expectSame(events: readonly object[], output: readonly object[], more: object = {}): void {
  const last = { ...begun, status: "completed", output, usage, ...more };
  expect(bare(collect([...events, ended(output, more)]))).toEqual(bare(decodeResponsesResponse(last)));
}

const added = (item: object, output_index = 0) => ({ type: "response.output_item.added", output_index, item });
const done = (item: object, output_index = 0) => ({ type: "response.output_item.done", output_index, item });

test("a message with citations and a refusal", () => {
  const annotation = { type: "url_citation", url: "https://example.com", title: "T", start_index: 0, end_index: 2 };
  const said = { type: "output_text", text: "Hi you", annotations: [annotation], logprobs: [] };
  const refusal = { type: "refusal", refusal: "No." };
  const item = {
    id: "msg_1",
    type: "message",
    status: "completed",
    role: "assistant",
    content: [said, refusal],
    phase: "final_answer",
  };
  const at = { item_id: "msg_1", output_index: 0, content_index: 0 };
  expectSame(
    [
      created,
      { type: "response.in_progress", response: begun },
      added({ ...item, content: [] }),
      { type: "response.content_part.added", ...at, part: { ...said, text: "", annotations: [] } },
      { type: "response.output_text.delta", ...at, delta: "Hi", logprobs: [] },
      { type: "response.output_text.annotation.added", ...at, annotation, annotation_index: 0 },
      { type: "response.output_text.delta", ...at, delta: " you", logprobs: [] },
      { type: "response.output_text.done", ...at, text: "Hi you" },
      { type: "response.content_part.done", ...at, part: said },
      { type: "response.content_part.added", ...at, content_index: 1, part: { type: "refusal", refusal: "" } },
      { type: "response.refusal.delta", ...at, content_index: 1, delta: "No." },
      { type: "response.content_part.done", ...at, content_index: 1, part: refusal },
      done(item),
    ],
    [item],
  );
});

test("reasoning in several summary parts has the seal of its end", () => {
  const summary = ["First.", "Then."].map((text) => ({ type: "summary_text", text }));
  const item = { id: "rs_1", type: "reasoning", summary, encrypted_content: "whole seal" };
  const at = { item_id: "rs_1", output_index: 0 };
  const delta = (summary_index: number, text: string) => ({
    type: "response.reasoning_summary_text.delta",
    ...at,
    summary_index,
    delta: text,
  });
  expectSame(
    [
      created,
      added({ ...item, summary: [], encrypted_content: "half a seal" }),
      {
        type: "response.reasoning_summary_part.added",
        ...at,
        summary_index: 0,
        part: { type: "summary_text", text: "" },
      },
      delta(0, "Fir"),
      delta(0, "st."),
      { type: "response.reasoning_summary_text.done", ...at, summary_index: 0, text: "First." },
      delta(1, "Then."),
      done(item),
    ],
    [item],
  );
});

test("reasoning text that the model shows, and empty reasoning", () => {
  const content = [{ type: "reasoning_text", text: "All of it." }];
  const shown = { id: "rs_1", type: "reasoning", summary: [{ type: "summary_text", text: "Short." }], content };
  const empty = { id: "rs_2", type: "reasoning", summary: [] };
  const sealed = { id: "rs_3", type: "reasoning", summary: [], encrypted_content: "seal" };
  const at = { item_id: "rs_1", output_index: 0 };
  expectSame(
    [
      created,
      added({ ...shown, summary: [], content: [] }),
      { type: "response.reasoning_text.delta", ...at, content_index: 0, delta: "All " },
      { type: "response.reasoning_text.delta", ...at, content_index: 0, delta: "of it." },
      { type: "response.reasoning_summary_text.delta", ...at, summary_index: 0, delta: "Short." },
      done(shown),
      added(empty, 1),
      done(empty, 1),
      added({ ...sealed, encrypted_content: null }, 2),
      done(sealed, 2),
    ],
    [shown, empty, sealed],
  );
});

test("parallel calls whose arguments interleave, and a custom one without an event for the end of its input", () => {
  const call = (id: string, input: string) => ({
    id: `fc_${id}`,
    type: "function_call",
    call_id: id,
    name: "f",
    arguments: input,
  });
  const [a, b] = [call("a", '{"a":1}'), call("b", "{}")];
  const custom = { id: "ctc_1", type: "custom_tool_call", call_id: "c", name: "sql", input: "SELECT 1" };
  const delta = (output_index: number, text: string, kind = "function_call_arguments") => ({
    type: `response.${kind}.delta`,
    item_id: "?",
    output_index,
    delta: text,
  });
  expectSame(
    [
      created,
      added({ ...a, arguments: "" }),
      added({ ...b, arguments: "" }, 1),
      delta(1, "{"),
      delta(0, '{"a"'),
      delta(1, "}"),
      delta(0, ":1}"),
      done(a),
      done(b, 1),
      added({ ...custom, input: "" }, 2),
      delta(2, "SELECT", "custom_tool_call_input"),
      done(custom, 2),
    ],
    [a, b, custom],
  );
});

test("a hosted tool's item is read when it is done; its progress events are ignored", () => {
  const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
  expectSame(
    [
      created,
      added({ ...search, status: "in_progress" }),
      { type: "response.web_search_call.searching", item_id: "ws_1", output_index: 0 },
      done(search),
    ],
    [search],
    { tool_usage: { web_search: { num_requests: 1 } } },
  );
});

test("streams with missing events are read as far as possible", () => {
  const item = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Hi" }] };
  expectSame([created], [item]);
  expectSame([created, done(item)], [item]);
  expectSame([created, added({ ...item, content: [] }), done(item)], [item]);
  const delta = { type: "response.output_text.delta", output_index: 0, content_index: 0, delta: "Hi" };
  expectSame([created, added({ ...item, content: [] }), delta], [item]);
  expectSame([], [item]);
});

test("a truncated answer is distinguished from a complete one", () => {
  const item = { id: "msg_1", type: "message", content: [{ type: "output_text", text: "Hi" }] };
  const response = {
    ...begun,
    status: "incomplete",
    incomplete_details: { reason: "max_output_tokens" },
    output: [item],
  };
  const answer = collect([created, done(item), { type: "response.incomplete", response }]);
  expect(answer.candidates[0]?.finish).toEqual({ reason: "length" });
});

test("an error is a fault with the provider's message, nested, flat, or in a failed response", () => {
  const said = { code: "insufficient_quota", message: "No money.", param: null };
  const forms = [
    { type: "error", sequence_number: 2, error: { type: "insufficient_quota", ...said } },
    { type: "error", sequence_number: 2, ...said },
    {
      type: "response.failed",
      response: { ...begun, status: "failed", error: { code: said.code, message: said.message } },
    },
    { error: { type: "insufficient_quota", ...said } },
  ];
  for (const event of forms) {
    const decoder = openResponsesStreamDecoder();
    decoder.push(JSON.stringify(created));
    expect(() => decoder.push(JSON.stringify(event))).toThrow(AnswerFault);
    expect(() => openResponsesStreamDecoder().push(JSON.stringify(event))).toThrow(
      expect.objectContaining({ providerError: expect.objectContaining({ code: said.code, message: said.message }) }),
    );
  }
});

test("a stream that ends before its last event, or holds an invalid event, is a fault", () => {
  const decoder = openResponsesStreamDecoder();
  decoder.push(JSON.stringify(created));
  expect(decoder.finished).toBe(false);
  expect(() => decoder.end()).toThrow(AnswerFault);
  expect(() => decoder.push("{")).toThrow(AnswerFault);
  expect(() => decoder.push("3")).toThrow(AnswerFault);
});

test("data after the last event is ignored", () => {
  const decoder = openResponsesStreamDecoder();
  decoder.push(JSON.stringify(created));
  expect(decoder.push(JSON.stringify(ended([]))).at(-1)).toEqual({ type: "response-end" });
  expect(decoder.finished).toBe(true);
  expect(decoder.push("[DONE]")).toEqual([]);
  expect(decoder.end()).toEqual([]);
});

describe("events without an output index", () => {
  const call = (id: string, name: string, written: string) => ({
    type: "function_call",
    call_id: `fc_${id}`,
    name,
    arguments: written,
  });
  const events = (ids: "item" | "call") => {
    const named = (id: string, item: object) => (ids === "item" ? { ...item, id: `fc_${id}`, call_id: id } : item);
    const add = (id: string, name: string) => ({
      type: "response.output_item.added",
      item: named(id, call(id, name, "")),
    });
    const write = (id: string, delta: string) => ({
      type: "response.function_call_arguments.delta",
      item_id: `fc_${id}`,
      delta,
    });
    const end = (id: string, name: string, written: string) => ({
      type: "response.output_item.done",
      item: named(id, call(id, name, written)),
    });
    return [
      created,
      add("1", "f"),
      add("2", "g"),
      write("1", '{"a":'),
      write("2", '{"b":2'),
      write("1", "1}"),
      write("2", "}"),
      end("1", "f", '{"a":1}'),
      end("2", "g", '{"b":2}'),
      ended([]),
    ];
  };

  test.each(["item", "call"] as const)("are told apart by the %s's id, so that parallel calls stay two", (ids) => {
    const { candidates } = collect(events(ids));
    expect(candidates[0]?.finish).toEqual({ reason: "tool-calls" });
    expect(candidates[0]?.parts).toMatchObject([
      { name: "f", input: '{"a":1}' },
      { name: "g", input: '{"b":2}' },
    ]);
  });

  test("and without an id are a fault", () => {
    const item = { type: "message", role: "assistant", content: [] };
    expect(() => collect([created, { type: "response.output_item.added", item }])).toThrow(AnswerFault);
    expect(() => collect([created, { type: "response.output_text.delta", delta: "Hi" }])).toThrow(AnswerFault);
  });

  test("of unknown types are ignored", () => {
    expect(collect([created, { type: "response.web_search_call.searching" }, ended([])]).candidates).toHaveLength(1);
  });
});

describe("without an output index, calls with one call id", () => {
  const items = ["f", "g"].map((name) => {
    return { id: `fc_${name}`, type: "function_call", call_id: "same", name, arguments: `{"${name}":1}` };
  });
  const [f, g] = items;
  const delta = (item: { readonly id: string } | undefined, text: string) => ({
    type: "response.function_call_arguments.delta",
    item_id: item?.id,
    delta: text,
  });
  const add = (item: object | undefined) => ({
    type: "response.output_item.added",
    item: { ...item, arguments: "" },
  });

  test("are told apart by the ids of their items", () => {
    const finished = items.toReversed().map((item) => ({ type: "response.output_item.done", item }));
    expectSame(
      [created, add(f), add(g), delta(f, '{"f"'), delta(g, '{"g":'), delta(f, ":1}"), delta(g, "1}"), ...finished],
      items,
    );
  });

  test("are refused if these are the same too", () => {
    expect(() => collect([created, add(f), add({ ...g, id: "fc_f" })])).toThrow(AnswerFault);
    expect(() => collect([created, add({ ...f, id: undefined }), add({ ...g, id: undefined })])).toThrow(AnswerFault);
  });
});
