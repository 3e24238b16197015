import { describe, expect, test } from "bun:test";
import { readAnswer } from "./read-answer.ts";

const data = (...events: readonly object[]) => events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("");

describe("a stream", () => {
  const chatUsage = { prompt_tokens: 3, completion_tokens: 5 };

  test("of chat is complete with [DONE], and cut without it", () => {
    const events = data({ choices: [{}] }, { choices: [], usage: chatUsage });
    expect(readAnswer(`${events}data: [DONE]\n\n`, true)).toEqual({ ending: "whole", usage: { input: 3, output: 5 } });
    expect(readAnswer(events, true).ending).toBe("torn");
  });

  test("of messages takes the newest figures", () => {
    const start = { type: "message_start", message: { usage: { input_tokens: 7, output_tokens: 1 } } };
    const delta = { type: "message_delta", usage: { output_tokens: 9 } };
    const events = data(start, delta, { type: "message_stop" });
    expect(readAnswer(events, true)).toEqual({ ending: "whole", usage: { input: 7, output: 9 } });
  });

  test("of responses has its usage in the response", () => {
    const response = { usage: { input_tokens: 1, output_tokens: 2 } };
    const events = data({ type: "response.completed", response });
    expect(readAnswer(events, true)).toEqual({ ending: "whole", usage: { input: 1, output: 2 } });
  });

  test("of Gemini ends with a reason, and thoughts are output", () => {
    const usageMetadata = { promptTokenCount: 4, candidatesTokenCount: 5, thoughtsTokenCount: 6 };
    const events = data({ candidates: [{ finishReason: "STOP" }], usageMetadata });
    expect(readAnswer(events, true)).toEqual({ ending: "whole", usage: { input: 4, output: 11 } });
    expect(readAnswer(data({ candidates: [{}] }), true).ending).toBe("torn");
  });

  test.each([{ error: { message: "no" } }, { type: "error", error: {} }, { type: "response.failed" }])(
    "that says that it failed has failed",
    (event) => expect(readAnswer(data({ choices: [{}] }, event), true).ending).toBe("failed"),
  );
});

describe("an answer in one piece", () => {
  test("is whole if it is an object", () => {
    const body = JSON.stringify({ usage: { prompt_tokens: 2, total_tokens: 2 } });
    expect(readAnswer(body, false)).toEqual({ ending: "whole", usage: { input: 2, output: 0 } });
  });

  test.each(["", '{"id": "chatcmpl', "[]"])("is torn if it is %p", (body) => {
    expect(readAnswer(body, false).ending).toBe("torn");
  });
});
