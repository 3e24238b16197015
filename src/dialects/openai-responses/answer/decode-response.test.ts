import { expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeResponsesResponse } from "./decode-response.ts";

const usage = { input_tokens: 5, input_tokens_details: { cached_tokens: 2 }, output_tokens: 3, total_tokens: 8 };

function response(output: readonly object[], more: object = {}): object {
  return {
    id: "resp_1",
    object: "response",
    created_at: 7,
    model: "gpt-6-2026",
    status: "completed",
    error: null,
    incomplete_details: null,
    output,
    usage,
    service_tier: "default",
    ...more,
  };
}

function message(text: string, more: object = {}): object {
  const content = [{ type: "output_text", text, annotations: [], logprobs: [] }];
  return { id: "msg_1", type: "message", status: "completed", role: "assistant", content, ...more };
}

const call = { id: "fc_1", type: "function_call", status: "completed", call_id: "a", name: "f", arguments: "{}" };

function finishOf(output: readonly object[], more: object = {}): unknown {
  return decodeResponsesResponse(response(output, more)).candidates[0]?.finish;
}

test("an answer's items become its parts, in order, with its other fields", () => {
  const search = { id: "ws_1", type: "web_search_call", status: "completed", action: { type: "search", query: "q" } };
  const reasoning = {
    id: "rs_1",
    type: "reasoning",
    summary: [
      { type: "summary_text", text: "First." },
      { type: "summary_text", text: "Then." },
    ],
    encrypted_content: "seal",
  };
  const annotations = [
    { type: "url_citation", url: "https://example.com", title: "T", start_index: 0, end_index: 2 },
    { type: "file_citation", file_id: "f", filename: "a", index: 0 },
  ];
  const cited = message("So.", { content: [{ type: "output_text", text: "So.", annotations }], phase: "final_answer" });
  const empty = { id: "rs_2", type: "reasoning", summary: [] };
  const answer = decodeResponsesResponse(
    response([reasoning, search, empty, message("Hm.", { phase: "commentary" }), cited], {
      tool_usage: { web_search: { num_requests: 1 } },
      moderation: null,
    }),
  );
  expect(bare(answer)).toEqual({
    id: "resp_1",
    model: "gpt-6-2026",
    created: 7,
    candidates: [
      {
        parts: [
          { type: "reasoning", text: "First.\n\nThen.", signature: { vendor: "openai", value: "seal" }, id: "rs_1" },
          { type: "native", vendor: "openai", value: search },
          { type: "text", text: "Hm.", phase: "commentary" },
          {
            type: "text",
            text: "So.",
            citations: [
              { url: "https://example.com", title: "T", start: 0, end: 2 },
              { native: { vendor: "openai", value: annotations[1] } },
            ],
            phase: "final_answer",
          },
        ],
        finish: { reason: "stop" },
      },
    ],
    usage: {
      quantities: { input: 3, cache_read: 2, output: 3, web_search: 1 },
      input: "final",
      output: "final",
      reasoning: null,
    },
    serviceTier: "default",
    native: { vendor: "openai", fields: { tool_usage: { web_search: { num_requests: 1 } } } },
  });
});

test("reasoning text that a model shows is read in place of its summary", () => {
  const content = [{ type: "reasoning_text", text: "All of it." }];
  const summary = [{ type: "summary_text", text: "Short." }];
  const { candidates } = decodeResponsesResponse(response([{ id: "rs_1", type: "reasoning", summary, content }]));
  expect(candidates[0]?.parts).toMatchObject([{ type: "reasoning", text: "All of it." }]);
});

test("an image of OpenAI's tool becomes an image part", () => {
  const drawn = {
    id: "ig_1",
    type: "image_generation_call",
    status: "completed",
    result: "AAAA",
    output_format: "webp",
  };
  const { candidates } = decodeResponsesResponse(response([drawn]));
  expect(candidates[0]?.parts).toEqual([
    { type: "image", source: { type: "data", mediaType: "image/webp", base64: "AAAA" } },
  ]);
});

test("the finish reason follows from the status and the items", () => {
  const refusal = message("", { content: [{ type: "refusal", refusal: "No." }] });
  const cut = (reason: string) => ({ status: "incomplete", incomplete_details: { reason } });
  expect(finishOf([message("Hi")])).toEqual({ reason: "stop" });
  expect(finishOf([message("Hi"), call])).toEqual({ reason: "tool-calls" });
  expect(finishOf([refusal])).toEqual({ reason: "refusal" });
  expect(finishOf([call], cut("max_output_tokens"))).toEqual({ reason: "length" });
  expect(finishOf([message("Hi")], cut("content_filter"))).toEqual({ reason: "content-filter" });
  expect(finishOf([message("Hi")], cut("steered"))).toEqual({ reason: "length", category: "steered" });
});

test("log probabilities of all texts are one list", () => {
  const token = (text: string) => ({ token: text, logprob: -1, bytes: [1], top_logprobs: [] });
  const said = (text: string) => message(text, { content: [{ type: "output_text", text, logprobs: [token(text)] }] });
  expect(decodeResponsesResponse(response([said("a"), said("b")])).candidates[0]?.logprobs).toEqual([
    { token: "a", logprob: -1, bytes: [1], top: [] },
    { token: "b", logprob: -1, bytes: [1], top: [] },
  ]);
});

test("anything but an answer is a fault with the provider's message", () => {
  const error = { code: "server_error", message: "It broke." };
  const failed = () => decodeResponsesResponse(response([], { status: "failed", error }));
  expect(failed).toThrow(AnswerFault);
  expect(failed).toThrow(
    expect.objectContaining({ providerError: { message: "It broke.", type: null, code: "server_error", param: null } }),
  );
  for (const status of ["cancelled", "queued", "in_progress", "failed"]) {
    expect(() => decodeResponsesResponse(response([], { status }))).toThrow(AnswerFault);
  }
  for (const body of [null, "text", [], {}, { object: "response" }]) {
    expect(() => decodeResponsesResponse(body)).toThrow(AnswerFault);
  }
});
