import { describe, expect, test } from "bun:test";
import { eventsOf } from "../../conversation/events-of.ts";
import type { ConversationResponse } from "../../conversation/response.ts";
import { listOrEmpty, type JsonObject } from "../../json/values.ts";
import type { AnswerContext } from "../codec.ts";
import { codecs } from "../codecs.testkit.ts";
import { AnswerFault } from "../exchange.ts";
import { askForSummary, compactionItem, encodeCompaction, withOpenCompactions } from "./compaction.ts";
import { decodeResponsesRequest } from "./request/decode-request.ts";
import { encodeResponsesResponse } from "./answer/encode-response.ts";
import { openResponsesStreamEncoder } from "./stream/encode-stream.ts";
import { parseEvents, validateEvents } from "./stream/validate-events.testkit.ts";

const user = (content: string) => ({ type: "message", role: "user", content });
const trigger = { type: "compaction_trigger" };
const tools = [{ type: "function", name: "find", parameters: { type: "object" } }];
const body = (...input: object[]): JsonObject => ({
  model: "m",
  input,
  tools,
  text: { format: { type: "json_object" } },
});

const context: AnswerContext = {
  callerBody: body(user("Hi"), trigger),
  model: "m",
  fallbackId: "1",
  created: 7,
  estimatedInputTokens: 1,
};

const answer: ConversationResponse = {
  id: null,
  model: "m",
  created: 7,
  usage: {
    quantities: { input: 9, output: 4 },
    input: "final",
    output: "final",
    reasoning: 1,
    raw: {},
  },
  candidates: [
    {
      parts: [
        { type: "reasoning", text: "Hm." },
        { type: "text", text: "Ann wants " },
        { type: "text", text: "tea. 🍵" },
      ],
      finish: { reason: "stop" },
    },
  ],
};
const silent: ConversationResponse = { ...answer, candidates: [{ parts: [], finish: { reason: "stop" } }] };
const item = compactionItem("Ann wants tea. 🍵", "resp_1");
const summaryText = "Summary of the conversation so far:\n\nAnn wants tea. 🍵";

test("the model is asked for a summary, may call no tool and is bound to no format", () => {
  const asked = askForSummary(decodeResponsesRequest({ ...body(user("Hi")), stream: true }));
  expect(asked).toMatchObject({
    stream: false,
    messages: [{ role: "user" }, { role: "user", parts: [{ text: expect.stringContaining("Summarize") }] }],
    tools: [{ name: "find" }],
    toolChoice: { type: "none" },
  });
  expect(asked.responseFormat).toBeUndefined();
  expect(askForSummary(decodeResponsesRequest({ model: "m", input: "Hi" })).toolChoice).toBeUndefined();
});

test("its summary is one compaction item, which later requests to any provider accept", () => {
  const compaction = encodeCompaction(answer, context);
  expect(compaction).toEqual({
    id: "resp_1",
    object: "response.compaction",
    created_at: 7,
    output: [item],
    usage: expect.objectContaining({ input_tokens: 9, output_tokens: 4, total_tokens: 13 }),
  });
  const next = decodeResponsesRequest({ model: "m", input: [...listOrEmpty(compaction.output), user("And now?")] });
  expect(next.messages).toMatchObject([
    { role: "user", parts: [{ type: "text", text: summaryText, path: "input[0]" }] },
    { role: "user", parts: [{ text: "And now?" }] },
  ]);
});

test("a provider of the same dialect is sent the summary, as it could not read the item", () => {
  const input = [item, user("And now?")];
  expect(withOpenCompactions(input)).toEqual([user(summaryText), user("And now?")]);
  const own = [{ type: "compaction", encrypted_content: "gAAAA" }, user("And now?")];
  expect(withOpenCompactions(own)).toBe(own);
  expect(withOpenCompactions("Hi")).toBe("Hi");
});

test("an item made by OpenAI is unchanged, as only OpenAI can read it", () => {
  const own = { type: "compaction", encrypted_content: "gAAAA" };
  const { messages } = decodeResponsesRequest({ model: "m", input: [own, user("Hi")] });
  expect(messages[0]?.parts).toMatchObject([{ type: "native", vendor: "openai", value: own }]);
});

test("an answer without a summary is a fault", () => {
  expect(() => encodeCompaction(silent, context)).toThrow(AnswerFault);
  expect(() => encodeResponsesResponse(silent, context)).toThrow(AnswerFault);
});

describe("compaction_trigger", () => {
  test("at the end asks for a summary, and elsewhere is refused", () => {
    const asked = decodeResponsesRequest(body(user("Hi"), trigger));
    expect(asked).toMatchObject({
      messages: [{ role: "user" }, { role: "user", path: "input[1]" }],
      toolChoice: { type: "none" },
    });
    expect(asked.responseFormat).toBeUndefined();
    const refused = expect.objectContaining({ status: 400, param: "input[0]" });
    expect(() => decodeResponsesRequest(body(trigger, user("Hi")))).toThrow(refused);
  });

  test("is answered with the item, whole and streamed", () => {
    const whole = encodeResponsesResponse(answer, context);
    expect(whole).toMatchObject({ object: "response", status: "completed", output: [item] });
    const encoder = openResponsesStreamEncoder(context);
    const wire =
      eventsOf(answer)
        .map((event) => encoder.push(event))
        .join("") + encoder.terminator();
    const events = parseEvents(wire);
    expect(events.map(({ type }) => type)).toEqual([
      "response.created",
      "response.in_progress",
      "response.output_item.added",
      "response.output_item.done",
      "response.completed",
    ]);
    expect(validateEvents(events)).toMatchObject({ output: [item] });
  });

  test("is sent to every dialect as a request for a summary", () => {
    const request = decodeResponsesRequest({ model: "m", input: [user("Hi"), trigger] });
    for (const { provider } of Object.values(codecs)) {
      const encoded = provider.encodeRequest(request, { model: "m", maxOutputTokens: null });
      expect(JSON.stringify(encoded.body)).toContain("Summarize the conversation");
    }
  });
});
