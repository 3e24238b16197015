import { expect, test } from "bun:test";
import { openCollector } from "../../../conversation/collect.ts";
import type { ConversationResponse } from "../../../conversation/response.ts";
import { validateStream } from "../../../conversation/validate-stream.testkit.ts";
import { AnswerFault } from "../../exchange.ts";
import { decodeData } from "../../stream-bytes.testkit.ts";
import { openMessagesStreamDecoder } from "./decode-stream.ts";

function decode(events: readonly object[]): ConversationResponse {
  const decoded = decodeData(
    openMessagesStreamDecoder(),
    events.map((event) => JSON.stringify(event)),
  );
  validateStream(decoded);
  const collector = openCollector();
  for (const event of decoded) collector.push(event);
  return collector.response();
}

const start = (usage: object) => ({ type: "message_start", message: { id: "msg_1", model: "claude", usage } });
const delta = (usage: object, stop_reason = "end_turn") => ({ type: "message_delta", delta: { stop_reason }, usage });
const stop = { type: "message_stop" };

test("counts are cumulative: the newest replaces earlier ones, and the split of cache writes is kept from the start", () => {
  const { usage } = decode([
    start({
      input_tokens: 60,
      cache_read_input_tokens: 40,
      cache_creation_input_tokens: 7,
      cache_creation: { ephemeral_5m_input_tokens: 5, ephemeral_1h_input_tokens: 2 },
      output_tokens: 1,
    }),
    delta({ input_tokens: 61, cache_read_input_tokens: null, cache_creation_input_tokens: 7, output_tokens: 20 }),
    stop,
  ]);
  expect(usage?.quantities).toEqual({
    input: 61,
    cache_read: 40,
    cache_write_5m: 5,
    cache_write_1h: 2,
    output: 20,
  });
});

test("cache counts that come only at the end are read", () => {
  const { usage } = decode([
    start({ input_tokens: 3, output_tokens: 0 }),
    delta({ cache_creation_input_tokens: 12_304, output_tokens: 550 }),
    stop,
  ]);
  expect(usage?.quantities).toEqual({ input: 3, cache_write: 12_304, output: 550 });
});

test("a tool without arguments means an empty object", () => {
  const { candidates } = decode([
    start({}),
    { type: "content_block_start", index: 0, content_block: { type: "tool_use", id: "t", name: "f", input: {} } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: "" } },
    { type: "content_block_stop", index: 0 },
    delta({}, "tool_use"),
    stop,
  ]);
  expect(candidates[0]?.parts).toMatchObject([{ type: "tool-call", id: "t", name: "f", input: "{}" }]);
  expect(candidates[0]?.finish.reason).toBe("tool-calls");
});

test("a hosted tool's call is carried whole, with the input that streamed after it", () => {
  const block = { type: "server_tool_use", id: "s", name: "web_search", input: {} };
  const { candidates } = decode([
    start({}),
    { type: "content_block_start", index: 0, content_block: block },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '{"query":' } },
    { type: "content_block_delta", index: 0, delta: { type: "input_json_delta", partial_json: '"a"}' } },
    { type: "content_block_stop", index: 0 },
    delta({}),
    stop,
  ]);
  expect(candidates[0]?.parts).toEqual([
    { type: "native", vendor: "anthropic", value: { ...block, input: { query: "a" } } },
  ]);
});

test("a refusal without a block is an answer with its explanation", () => {
  const { candidates } = decode([
    start({}),
    { type: "ping" },
    {
      type: "message_delta",
      delta: { stop_reason: "refusal", stop_details: { type: "refusal", category: "cyber", explanation: "No." } },
      usage: {},
    },
    stop,
  ]);
  expect(candidates).toMatchObject([
    { parts: [], finish: { reason: "refusal", category: "cyber", explanation: "No." } },
  ]);
});

test("an answer without message_stop ends with its stop reason", () => {
  expect(decode([start({}), delta({})]).candidates[0]?.finish.reason).toBe("stop");
});

test("a stream that ends early, begins wrongly, or reports an error is a fault", () => {
  expect(() => decode([start({})])).toThrow(AnswerFault);
  expect(() => decode([delta({})])).toThrow(AnswerFault);
  expect(() => openMessagesStreamDecoder().push("{")).toThrow(AnswerFault);
  const overloaded = { type: "error", error: { type: "overloaded_error", message: "Busy." } };
  expect(() => decode([start({}), overloaded])).toThrow(
    expect.objectContaining({ providerError: { message: "Busy.", type: "overloaded_error", code: null, param: null } }),
  );
});

test.each([{ output_tokens: 0 }, {}])("a preliminary count stays one if the end of the message says %j", (usage) => {
  const decoder = openMessagesStreamDecoder();

  decoder.push(JSON.stringify(start({ input_tokens: 9, output_tokens: 1 })));
  const events = decoder.push(JSON.stringify({ type: "message_delta", delta: { stop_reason: "end_turn" }, usage }));
  expect(events.find(({ type }) => type === "usage")).toMatchObject({ usage: { input: "final", output: "so_far" } });
});
