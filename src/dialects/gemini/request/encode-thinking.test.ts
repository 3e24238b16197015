import { expect, test } from "bun:test";
import type { ReasoningSettings } from "../../../conversation/request.ts";
import { encodeThinking } from "./encode-thinking.ts";
import { geminiProfileOf } from "../quirks.ts";

type Row = readonly [model: string, reasoning: ReasoningSettings, config: object | undefined, changed?: string];

const rows: readonly Row[] = [
  ["gemini-3-flash-preview", { effort: "minimal" }, { thinkingLevel: "MINIMAL" }],
  ["gemini-3-flash-preview", { effort: "medium" }, { thinkingLevel: "MEDIUM" }],
  ["gemini-3-flash-preview", { effort: "max" }, { thinkingLevel: "HIGH" }, "reasoning.effort"],
  ["gemini-3-flash-preview", { budgetTokens: 3_000 }, { thinkingLevel: "LOW" }],
  ["gemini-3-flash-preview", { effort: "high", budgetTokens: 1_024 }, { thinkingLevel: "HIGH" }],
  ["gemini-3-flash-preview", { enabled: false }, { thinkingLevel: "MINIMAL" }, "reasoning.disabled"],
  ["gemini-3-flash-preview", { enabled: true }, undefined],
  ["gemini-3-pro-preview", { effort: "minimal" }, { thinkingLevel: "LOW" }, "reasoning.effort"],
  ["gemini-3-pro-preview", { effort: "medium" }, { thinkingLevel: "HIGH" }, "reasoning.effort"],
  ["gemini-3.1-pro-preview", { effort: "medium" }, { thinkingLevel: "MEDIUM" }],
  ["gemini-9-ultra", { effort: "low", summary: "auto" }, { thinkingLevel: "LOW", includeThoughts: true }],
  ["models/gemini-2.5-flash", { effort: "low" }, { thinkingBudget: 2_048 }],
  ["gemini-2.5-flash", { budgetTokens: 5_000, effort: "low" }, { thinkingBudget: 5_000 }],
  ["gemini-2.5-flash", { enabled: false }, { thinkingBudget: 0 }],
  ["gemini-2.5-flash", { enabled: true }, { thinkingBudget: -1 }],
  ["gemini-2.5-flash", { effort: "max" }, { thinkingBudget: 24_576 }],
  ["gemini-2.5-flash", { budgetTokens: 99_999 }, { thinkingBudget: 24_576 }, "reasoning.budget"],
  ["gemini-2.5-flash-lite", { budgetTokens: 100 }, { thinkingBudget: 512 }, "reasoning.budget"],
  ["gemini-2.5-pro", { effort: "max" }, { thinkingBudget: 32_768 }],
  ["gemini-2.5-pro", { enabled: false }, { thinkingBudget: 128 }, "reasoning.disabled"],
  ["gemini-2.5-pro", { summary: "none" }, { includeThoughts: false }],
  ["gemini-2.0-flash", { effort: "high", summary: "auto" }, undefined],
];

for (const [model, reasoning, config, changed = null] of rows) {
  test(`${model}: ${JSON.stringify(reasoning)}`, () => {
    expect(encodeThinking(reasoning, geminiProfileOf(model).thinking)).toEqual({ config, changed } as never);
  });
}

test("level and budget are never sent together", () => {
  for (const [model, reasoning] of rows) {
    const config = encodeThinking(reasoning, geminiProfileOf(model).thinking).config ?? {};
    expect("thinkingLevel" in config && "thinkingBudget" in config).toBe(false);
  }
});
