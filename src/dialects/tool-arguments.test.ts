import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { text, toolInput } from "../conversation/arbitraries.testkit.ts";
import { eventsOf } from "../conversation/events-of.ts";
import type { ToolCallPart } from "../conversation/parts.ts";
import type { ConversationResponse, FinishReason } from "../conversation/response.ts";
import type { StreamEvent } from "../conversation/stream.ts";
import { readJsonObject } from "../json/read-object.ts";
import { isObject, listOrEmpty, type JsonObject } from "../json/values.ts";
import type { AnswerContext } from "./codec.ts";
import { codecs, type ConversationDialectName, conversationDialectNames as dialects } from "./codecs.testkit.ts";
import { AnswerFault, type Exchange } from "./exchange.ts";
import { encodeAll } from "./stream-bytes.testkit.ts";
import { translate } from "./exchanges/translate.ts";
import { quotableText, type RequestBody } from "../http/request-body.ts";

/** An agent acts on the arguments that a model writes: they arrive unchanged, or not at all. */

const pairs = dialects.flatMap((from) => dialects.filter((to) => to !== from).map((to) => [from, to] as const));
const target = { model: "m", maxOutputTokens: null };

const context: AnswerContext = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };

const digits = '{"id":9007199254740993,"list":[-12345678901234567890,{"deep":18446744073709551615}]}';

/** A turn with a call and its result, in each dialect's own words. `args` is JSON text. */
const conversations: Readonly<Record<ConversationDialectName, (args: string) => string>> = {
  "openai-chat": (args) => `{"model":"m","messages":[{"role":"user","content":"Hi"},
    {"role":"assistant","tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]},
    {"role":"tool","tool_call_id":"c1","content":"ok"}]}`,
  "openai-responses": (args) => `{"model":"m","input":[{"role":"user","content":"Hi"},
    {"type":"function_call","call_id":"c1","name":"f","arguments":${JSON.stringify(args)}},
    {"type":"function_call_output","call_id":"c1","output":"ok"}]}`,
  "anthropic-messages": (args) => `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"},
    {"role":"assistant","content":[{"type":"tool_use","id":"c1","name":"f","input":${args}}]},
    {"role":"user","content":[{"type":"tool_result","tool_use_id":"c1","content":"ok"}]}]}`,
  gemini: (args) => `{"model":"m","contents":[{"role":"user","parts":[{"text":"Hi"}]},
    {"role":"model","parts":[{"functionCall":{"id":"c1","name":"f","args":${args}}}]},
    {"role":"user","parts":[{"functionResponse":{"id":"c1","name":"f","response":{"output":"ok"}}}]}]}`,
};

/** An answer that calls a tool, in each dialect's own words. */
const answers: Readonly<Record<ConversationDialectName, (args: string) => string>> = {
  "openai-chat": (args) => `{"id":"a","choices":[{"index":0,"finish_reason":"tool_calls","message":{"role":"assistant",
    "tool_calls":[{"id":"c1","type":"function","function":{"name":"f","arguments":${JSON.stringify(args)}}}]}}]}`,
  "openai-responses": (args) => `{"id":"a","status":"completed","output":[
    {"type":"function_call","call_id":"c1","name":"f","arguments":${JSON.stringify(args)}}]}`,
  "anthropic-messages": (args) => `{"id":"a","stop_reason":"tool_use","content":[
    {"type":"tool_use","id":"c1","name":"f","input":${args}}]}`,
  gemini: (args) => `{"responseId":"a","candidates":[{"finishReason":"STOP","content":{"parts":[
    {"functionCall":{"id":"c1","name":"f","args":${args}}}]}}]}`,
};

function exchangeOf(from: ConversationDialectName, to: ConversationDialectName, args = "{}"): Exchange {
  const { body } = readJsonObject(conversations[from](args), new Set());
  const { caller } = codecs[from];
  return translate({ caller, provider: codecs[to], request: caller.decodeRequest(body), context, target });
}

const bytes = (json: string) => new TextEncoder().encode(json.replaceAll(/\s+(?=[{"[\]])/g, ""));
const asText = (body: RequestBody) => Buffer.from(quotableText(body)).toString();

/** JSON text that may stand within a JSON string, as it stands there. */
const within = (json: string) => JSON.stringify(json).slice(1, -1);

describe("whole numbers keep every digit", () => {
  test.each(pairs)("in the history of a %s caller at a %s provider", (from, to) => {
    const body = asText(exchangeOf(from, to, digits).request.body);
    expect(body.includes(digits) || body.includes(within(digits))).toBe(true);
  });

  test.each(pairs)("in an answer to a %s caller from a %s provider, whole and streamed", (from, to) => {
    const exchange = exchangeOf(from, to);
    const answer = bytes(answers[to](digits));
    const whole = asText(exchange.readWhole(answer).body);
    expect(whole.includes(digits) || whole.includes(within(digits))).toBe(true);
    const streamed = asText(exchange.wholeAsStream(answer).bytes);
    expect(streamed.includes(digits) || streamed.includes(within(digits))).toBe(true);
  });

  test("in a tool's schema", () => {
    const schema = '{"type":"object","properties":{"id":{"type":"integer","maximum":9223372036854775807}}}';
    const text = `{"model":"m","max_tokens":9,"messages":[{"role":"user","content":"Hi"}],
      "tools":[{"name":"f","input_schema":${schema}}]}`;
    const { body } = readJsonObject(text, new Set());
    const { caller } = codecs["anthropic-messages"];
    for (const to of dialects.filter((dialect) => dialect !== "anthropic-messages")) {
      const request = caller.decodeRequest(body);
      const exchange = translate({ caller, provider: codecs[to], request, context, target });
      expect(asText(exchange.request.body)).toContain("9223372036854775807");
    }
  });

  test("in a stream of Gemini's", () => {
    const stream = exchangeOf("openai-chat", "gemini").openStream();
    const event = bytes(`data: ${answers.gemini(digits).replaceAll("\n", "")}\n\n`);
    const sent = [stream.push(event), stream.end()].map((piece) => asText(piece ?? "")).join("");
    expect(sent).toContain(within(digits));
  });
});

const call = (input: string, kind: ToolCallPart["kind"] = "function"): ToolCallPart => ({
  type: "tool-call",
  kind,
  id: "c1",
  name: "f",
  input,
});

function answerOf(part: ToolCallPart, reason: FinishReason = "tool-calls"): ConversationResponse {
  return { id: null, model: "m", created: 1, usage: null, candidates: [{ parts: [part], finish: { reason } }] };
}

/** The input of the tool call in a Messages stream, as a client puts it together. */
function streamedInput(answer: ConversationResponse): string {
  const wire = encodeAll(codecs["anthropic-messages"].caller.openStreamEncoder(context), eventsOf(answer));
  const events = asText(wire)
    .split("\n\n")
    .flatMap((event) => /\ndata: ([^\n]*)$/.exec(event)?.[1] ?? [])
    .map((data) => JSON.parse(data) as JsonObject);
  return events
    .map(({ delta }) => (isObject(delta) && typeof delta.partial_json === "string" ? delta.partial_json : ""))
    .join("");
}

describe("arguments that are no JSON object are never replaced", () => {
  const broken = ['{"a":["b"', "[1,2]", '"text"', "null", "{'a':1}"];
  const messages = codecs["anthropic-messages"].caller;

  test.each(broken)("%s fails an answer to a Messages caller", (input) => {
    expect(() => messages.encodeResponse(answerOf(call(input)), context)).toThrow(AnswerFault);
    expect(() => streamedInput(answerOf(call(input)))).toThrow(AnswerFault);
  });

  test.each(broken)("%s reaches callers whose arguments are text as it is", (input) => {
    for (const dialect of ["openai-chat", "openai-responses"] as const) {
      const { caller } = codecs[dialect];
      const whole = JSON.stringify(caller.encodeResponse(answerOf(call(input)), context));
      const streamed = asText(encodeAll(caller.openStreamEncoder(context), eventsOf(answerOf(call(input)))));
      for (const sent of [whole, streamed]) expect(sent).toContain(`"${within(input)}"`);
    }
  });

  test("Gemini's own are passed on unchanged", () => {
    const { body } = exchangeOf("openai-chat", "gemini").readWhole(bytes(answers.gemini("[1,2]")));
    expect(asText(body)).toContain('"arguments":"[1,2]"');
  });

  test("a call truncated by the token limit is left out of a whole message, and streamed as far as it was received", () => {
    const cut = answerOf(call('{"a":["b"'), "length");
    expect(messages.encodeResponse(cut, context)).toMatchObject({ content: [], stop_reason: "max_tokens" });
    expect(streamedInput(cut)).toBe('{"a":["b"');
  });

  test("empty arguments are an empty object", () => {
    const { content } = messages.encodeResponse(answerOf(call("")), context);
    expect(listOrEmpty(content)).toMatchObject([{ type: "tool_use", input: {} }]);
  });
});

test("the input of a function or free-text tool streamed to Messages is JSON, however it is split", () => {
  const parts = fc.oneof(
    toolInput.map((input) => ({ part: call(input), input: JSON.parse(input) as unknown })),
    fc.oneof(text, fc.string({ unit: "binary" })).map((input) => ({ part: call(input, "custom"), input: { input } })),
  );
  fc.assert(
    fc.property(parts, fc.integer({ min: 1, max: 5 }), ({ part, input }, size) => {
      const answer = answerOf(part);
      const encoder = codecs["anthropic-messages"].caller.openStreamEncoder(context);
      const events = eventsOf(answer).flatMap((event): StreamEvent[] => {
        if (event.type !== "input-delta") return [event];
        const pieces = event.input.match(new RegExp(`[^]{1,${size}}`, "g")) ?? [];
        return pieces.map((piece) => ({ ...event, input: piece }));
      });
      const wire = events.map((event) => encoder.push(event)).join("");
      const written = [...wire.matchAll(/"partial_json":("(?:[^"\\]|\\.)*")/g)].map(([, json]) =>
        JSON.parse(json ?? ""),
      );
      expect(JSON.parse(written.join(""))).toEqual(input);
    }),
  );
});
