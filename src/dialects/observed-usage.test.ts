import { describe, expect, test } from "bun:test";
import { dataEvent } from "../sse/event.ts";
import { type ConversationDialectName, codecs } from "./codecs.testkit.ts";
import { EventObserver } from "./exchanges/observe-events.ts";
import { chatExchange } from "./openai-chat/chat.testkit.ts";

/** The usage after these pieces of a provider's stream, and after its end if it ended well. */
function usageAfter(dialect: ConversationDialectName, pieces: readonly object[], ended = false) {
  const decoder = codecs[dialect].provider.openStreamDecoder();
  const observer = new EventObserver((id) => id ?? "");
  for (const piece of pieces) for (const event of decoder.push(JSON.stringify(piece))) observer.see(event);
  if (ended) for (const event of decoder.end()) observer.see(event);
  return observer.usage;
}

describe("anthropic-messages", () => {
  const start = { type: "message_start", message: { id: "m", usage: { input_tokens: 9, output_tokens: 1 } } };
  const text = [
    { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
    { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  ];
  const delta = { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 30 } };

  test("the count at the start is preliminary, the one at the end is final", () => {
    expect(usageAfter("anthropic-messages", [start, ...text])).toMatchObject({ input: "final", output: "so_far" });
    expect(usageAfter("anthropic-messages", [start, ...text, delta])).toMatchObject({
      quantities: { input: 9, output: 30 },
      output: "final",
    });
    const silent = { ...delta, usage: undefined };
    expect(usageAfter("anthropic-messages", [start, ...text, silent, { type: "message_stop" }])?.output).toBe("so_far");
  });

  test("a search counts as soon as it is done, unless it failed", () => {
    const result = (content: unknown) => ({
      type: "content_block_start",
      index: 0,
      content_block: { type: "web_search_tool_result", tool_use_id: "t", content },
    });
    expect(usageAfter("anthropic-messages", [start, result([])])?.quantities).toMatchObject({ web_search: 1 });
    const failed = result({ type: "web_search_tool_result_error", error_code: "unavailable" });
    expect(usageAfter("anthropic-messages", [start, failed])?.quantities.web_search).toBeUndefined();
  });
});

describe("gemini", () => {
  const chunk = (text: string, usageMetadata?: object, finishReason?: string) => ({
    responseId: "r",
    candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, finishReason }],
    usageMetadata,
  });
  const counts = (written: number) => ({
    promptTokenCount: 9,
    candidatesTokenCount: written,
    totalTokenCount: 9 + written,
  });

  test("a chunk has the count so far, the last one the total", () => {
    const begun = chunk("Hello", { promptTokenCount: 9, totalTokenCount: 9 });
    expect(usageAfter("gemini", [begun])).toMatchObject({ quantities: { output: 0 }, output: "so_far" });
    const last = chunk(" there", counts(5), "STOP");
    expect(usageAfter("gemini", [begun, last], true)).toMatchObject({ quantities: { output: 5 }, output: "final" });
  });

  test("a last chunk without counts keeps the earlier ones", () => {
    const pieces = [chunk("Hello", counts(5)), chunk("", { trafficType: "ON_DEMAND" }, "STOP")];
    expect(usageAfter("gemini", pieces, true)).toMatchObject({ quantities: { input: 9, output: 5 }, output: "so_far" });
    const behind = [chunk("Hello", counts(5), "STOP"), chunk("", { trafficType: "ON_DEMAND" })];
    expect(usageAfter("gemini", behind, true)).toMatchObject({ quantities: { input: 9, output: 5 }, output: "final" });
  });

  test("a whole answer is final, with or without a finish reason", () => {
    const { provider } = codecs.gemini;
    expect(provider.decodeResponse(chunk("Hello", counts(5))).usage?.output).toBe("final");
  });
});

describe("openai-chat", () => {
  const chunk = (choice: object | null, usage?: object) => ({ id: "c", choices: choice ? [choice] : [], usage });
  const said = { index: 0, delta: { content: "Hello" } };
  const finished = { index: 0, delta: {}, finish_reason: "stop" };
  const counts = (written: number) => ({ prompt_tokens: 9, completion_tokens: written, total_tokens: 9 + written });
  const zeros = { prompt_tokens: 0, completion_tokens: 0, total_tokens: 0 };

  async function usagePassedThrough(pieces: readonly object[]) {
    const stream = (await chatExchange({ stream: true })).openStream();
    for (const piece of pieces) stream.push(dataEvent(JSON.stringify(piece)));
    expect(stream.fault).toBeNull();
    return stream.observation.usage;
  }

  test("trailing zeros do not replace counts of an answer that is collected for its caller", async () => {
    const collector = (await chatExchange()).openCollector();
    for (const piece of [chunk(said), chunk(finished, counts(3)), chunk(null, zeros)]) {
      collector.push(dataEvent(JSON.stringify(piece)));
    }
    collector.push(dataEvent("[DONE]"));
    const { body, observation } = collector.answer();
    expect(JSON.parse(String(body))).toMatchObject({ usage: counts(3) });
    expect(observation.usage).toMatchObject({ quantities: { input: 9, output: 3 }, output: "final" });
  });

  for (const [way, after] of [
    ["passed through", usagePassedThrough],
    ["translated", async (pieces: readonly object[]) => usageAfter("openai-chat", pieces)],
  ] as const) {
    test(`a count in every chunk is on the way until the finish (${way})`, async () => {
      expect(await after([chunk(said, counts(1))])).toMatchObject({ quantities: { output: 1 }, output: "so_far" });
      expect(await after([chunk(said), chunk(finished), chunk(null, counts(3))])).toMatchObject({
        quantities: { input: 9, output: 3 },
        output: "final",
      });
    });

    test(`trailing zeros take nothing back (${way})`, async () => {
      const usage = await after([chunk(said), chunk(finished, counts(3)), chunk(null, zeros)]);
      expect(usage).toMatchObject({ quantities: { input: 9, output: 3 }, output: "final", raw: counts(3) });
    });
  }
});

test("openai-responses: a search counts as soon as it is done, and once", () => {
  const item = { id: "ws", type: "web_search_call", status: "completed", action: { type: "search" } };
  const done = { type: "response.output_item.done", output_index: 0, item };
  expect(usageAfter("openai-responses", [done])).toMatchObject({
    quantities: { web_search: 1 },
    input: "none",
    output: "none",
  });
  const response = { id: "r", status: "completed", output: [item], usage: { input_tokens: 5, output_tokens: 6 } };
  expect(usageAfter("openai-responses", [done, { type: "response.completed", response }])?.quantities).toEqual({
    input: 5,
    output: 6,
    web_search: 1,
  });
});
