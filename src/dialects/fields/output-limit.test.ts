import { describe, expect, test } from "bun:test";
import { lowerLimits, type OutputLimitFields } from "./output-limit.ts";

const chat: OutputLimitFields = { names: ["max_completion_tokens", "max_tokens"] };
const gemini: OutputLimitFields = {
  within: ["generationConfig", "generation_config"],
  names: ["maxOutputTokens", "max_output_tokens"],
};

function lowered(body: object, fields: OutputLimitFields, own: number | null, asked?: number) {
  const changed = lowerLimits({ text: JSON.stringify(body), body: { ...body }, asked }, fields, {
    maxOutputTokens: own,
    imposesOutputLimit: true,
  });
  return changed && { body: JSON.parse(changed.text) as unknown, lowered: changed.lowered };
}

describe("a limit that is imposed on one request", () => {
  test("is added to a body without one, also if the field is null", () => {
    expect(lowered({ model: "m" }, chat, 40)).toEqual({
      body: { model: "m", max_completion_tokens: 40 },
      lowered: ["max_completion_tokens"],
    });
    expect(lowered({}, chat, 40)?.body).toEqual({ max_completion_tokens: 40 });
    expect(lowered({ max_completion_tokens: null, n: 2 }, chat, 40)?.body).toEqual({ max_completion_tokens: 40, n: 2 });
    expect(lowered({ model: "m" }, chat, null)).toBeNull();
  });

  test("is added where the dialect keeps its settings", () => {
    expect(lowered({ contents: [] }, gemini, 40)).toEqual({
      body: { contents: [], generationConfig: { maxOutputTokens: 40 } },
      lowered: ["generationConfig.maxOutputTokens"],
    });
    const snake = { generation_config: { temperature: 1 }, contents: [] };
    expect(lowered(snake, gemini, 40)).toEqual({
      body: { generation_config: { temperature: 1, maxOutputTokens: 40 }, contents: [] },
      lowered: ["generation_config.maxOutputTokens"],
    });
  });

  test("lowers a higher one and leaves a lower one", () => {
    expect(lowered({ max_tokens: 90 }, chat, 40, 90)?.body).toEqual({ max_tokens: 40 });
    expect(lowered({ max_tokens: 30 }, chat, 40, 30)).toBeNull();
  });
});
