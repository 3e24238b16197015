import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type ByteUpstream, startByteUpstream } from "../byte-upstream.testkit.ts";
import { callers, messagesCaller } from "../dialects/callers.testkit.ts";
import type { Heard } from "../dialects/grammar.testkit.ts";
import { post, requestIdOf } from "../dialects/post.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** Streams of servers that deviate from OpenAI and Anthropic. */

let upstream: ByteUpstream;
let gateway: TestGateway;
beforeAll(async () => {
  upstream = await startByteUpstream();
  gateway = await startTestGateway({
    providers: () => [
      { id: "chat", baseUrl: upstream.url },
      { id: "messages", dialects: ["anthropic-messages"], baseUrl: upstream.url },
      { id: "responses", dialects: ["openai-responses"], baseUrl: upstream.url },
    ],
    models: [
      { id: "chat", targets: [{ provider: "chat", model: "m" }] },
      { id: "messages", targets: [{ provider: "messages", model: "m" }] },
      { id: "responses", targets: [{ provider: "responses", model: "m" }] },
    ],
  });
});
afterAll(async () => {
  await gateway.stop();
  await upstream.stop();
});

const chunk = (delta: object, finish_reason: string | null = null) =>
  `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta, finish_reason }] })}\n\n`;
const call = (index: number, fields: object) => chunk({ tool_calls: [{ index, ...fields }] });
const begin = (index: number, name: string, written: string) =>
  call(index, { id: `call_${index}`, type: "function", function: { name, arguments: written } });
const goOn = (index: number, written: string) => call(index, { function: { arguments: written } });
const role = chunk({ role: "assistant", content: "" });
const end = (reason: string) => `${chunk({}, reason)}data: [DONE]\n\n`;

const event = (type: string, fields: object) => `event: ${type}\ndata: ${JSON.stringify({ type, ...fields })}\n\n`;
const start = event("message_start", {
  message: {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [],
    usage: { input_tokens: 0, output_tokens: 0 },
  },
});
const stop = (reason: string) =>
  event("message_delta", {
    delta: { stop_reason: reason },
    usage: { input_tokens: 7, cache_read_input_tokens: 3, output_tokens: 9 },
  }) + event("message_stop", {});

/** As llama.cpp writes them: without `output_index`, and items by their call's id alone. */
const item = (id: string, name: string, written: string) => ({
  item: { type: "function_call", status: "in_progress", call_id: id, name, arguments: written },
});
const twoCalls =
  event("response.created", { response: { id: "resp_1", status: "in_progress", output: [] } }) +
  event("response.output_item.added", item("fc_1", "f", "")) +
  event("response.function_call_arguments.delta", { item_id: "fc_1", delta: '{"city":' }) +
  event("response.output_item.added", item("fc_2", "g", "")) +
  event("response.function_call_arguments.delta", { item_id: "fc_2", delta: '{"city":"Rome"}' }) +
  event("response.function_call_arguments.delta", { item_id: "fc_1", delta: '"Paris"}' }) +
  event("response.output_item.done", item("fc_1", "f", '{"city":"Paris"}')) +
  event("response.output_item.done", item("fc_2", "g", '{"city":"Rome"}')) +
  event("response.completed", {
    response: { id: "resp_1", status: "completed", output: [], usage: { input_tokens: 1, output_tokens: 1 } },
  });

interface Case {
  readonly model: "chat" | "messages" | "responses";
  readonly stream: string;
  readonly text?: string;
  readonly reasoning?: string;
  readonly calls?: Heard["calls"];
}

const paris = { name: "f", input: { city: "Paris" } };
const rome = { name: "g", input: { city: "Rome" } };

const cases: Readonly<Record<string, Case>> = {
  "an empty list of calls beside the text": {
    model: "chat",
    stream: role + chunk({ content: "Hi", tool_calls: [] }) + chunk({ content: "!", tool_calls: null }) + end("stop"),
    text: "Hi!",
  },
  "parallel calls whose arguments interleave": {
    model: "chat",
    stream:
      role +
      begin(0, "f", "") +
      begin(1, "g", '{"ci') +
      goOn(0, '{"city":') +
      goOn(1, 'ty":"Rome"}') +
      goOn(0, '"Paris"}') +
      end("tool_calls"),
    calls: [paris, rome],
  },
  "a call that comes whole, after text, and ends with `stop`": {
    model: "chat",
    stream: role + chunk({ content: "Wait." }) + begin(0, "f", '{"city":"Paris"}') + end("stop"),
    text: "Wait.",
    calls: [paris],
  },
  "a finish reason of empty text on every chunk, and comments": {
    model: "chat",
    stream: `: OPENROUTER PROCESSING\n\n${chunk({ role: "assistant", content: "Hi" }, "")}: OPENROUTER PROCESSING\n\n${end("stop")}`,
    text: "Hi",
  },
  "[DONE] without a finish reason": {
    model: "chat",
    stream: `${role + chunk({ content: "Hi" })}data: [DONE]\n\n`,
    text: "Hi",
  },
  "reasoning under another name": {
    model: "chat",
    stream: role + chunk({ reasoning: "Hm." }) + chunk({ content: "Hi" }) + end("stop"),
    text: "Hi",
    reasoning: "Hm.",
  },
  "arguments in the block itself, and none after it": {
    model: "messages",
    stream:
      start +
      event("content_block_start", {
        index: 0,
        content_block: { type: "tool_use", id: "t1", name: "f", input: { city: "Paris" } },
      }) +
      event("content_block_stop", { index: 0 }) +
      stop("tool_use"),
    calls: [paris],
  },
  "no event lines, pings, an empty text block, counts at the end alone": {
    model: "messages",
    stream: (
      start +
      event("ping", {}) +
      event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }) +
      event("content_block_stop", { index: 0 }) +
      event("content_block_start", { index: 1, content_block: { type: "text", text: "" } }) +
      event("content_block_delta", { index: 1, delta: { type: "text_delta", text: "Hi" } }) +
      event("content_block_stop", { index: 1 }) +
      stop("end_turn")
    ).replaceAll(/^event: .*\n/gm, ""),
    text: "Hi",
  },
  "parallel calls of items without a place": { model: "responses", stream: twoCalls, calls: [paris, rome] },
  "a refusal without any block": { model: "messages", stream: start + stop("refusal"), text: "" },
};

/** Bytes of the same dialect pass as they are: only the others are held against a grammar. */
const passes = { chat: "chat", messages: "messages", responses: "responses" } as const;

describe.each(callers.map((caller) => [caller.name, caller] as const))("to a caller of %s", (_name, caller) => {
  test.each(Object.entries(cases).filter(([, { model }]) => passes[model] !== caller.name))(
    "%s",
    async (_case, { model, stream, text = "", reasoning = "", calls = [] }) => {
      upstream.answerBytes(stream);
      const response = await post(gateway, caller, model, "Hi", { stream: true });
      const heard = caller.hear(await response.text());
      expect({ text: heard.text, reasoning: heard.reasoning, calls: heard.calls }).toEqual({ text, reasoning, calls });
      if (calls.length > 0) expect(["tool_calls", "tool_use", "completed", "STOP"]).toContain(heard.finish);
      const record = await gateway.record(requestIdOf(response));
      expect(record.status).toBe("succeeded");
      if (model === "messages") expect(record.usage).toMatchObject({ prompt_tokens: 10, completion_tokens: 9 });
    },
  );

  test.each([
    ["an error in place of a chunk", `${role}data: {"object":"error","message":"Busy."}\n\n`],
    ["an error with a number for a code", `${role}data: {"error":{"code":502,"message":"Busy."}}\n\n`],
    ["an end without a finish reason", role + chunk({ content: "Hi" })],
  ])("%s is a fault, not a good end", async (_case, stream) => {
    upstream.answerBytes(stream);
    const response = await post(gateway, caller, "chat", "Hi", { stream: true });
    const received = await response.text();
    expect(await gateway.record(requestIdOf(response))).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
    });
    if (caller.lastWord !== null) expect(received).not.toContain(caller.lastWord);
  });
});

describe("arguments that are not a JSON object, to a caller of Messages", () => {
  const stream = role + begin(0, "f", '{"a":["b"') + end("tool_calls");

  test("fail a stream", async () => {
    upstream.answerBytes(stream);
    const response = await post(gateway, messagesCaller, "chat", "Hi", { stream: true });
    const received = await response.text();
    expect(received).toContain("event: error");
    expect(received).not.toContain("message_stop");
    expect(await gateway.record(requestIdOf(response))).toMatchObject({
      status: "failed",
      billing: { amount_microusd: 0 },
      error: { code: "upstream_invalid_response" },
    });
  });

  test("fail a whole answer", async () => {
    upstream.answerBytes(stream);
    const response = await post(gateway, messagesCaller, "chat", "Hi");
    expect(response.status).toBe(502);
    expect(await response.text()).not.toContain("tool_use");
    expect(await gateway.record(requestIdOf(response))).toMatchObject({
      status: "failed",
      error: { code: "upstream_invalid_response" },
    });
  });
});
