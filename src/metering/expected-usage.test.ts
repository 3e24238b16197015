import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { maxQuantity } from "../dimensions.ts";
import { plainRequest } from "../conversation/fields/field-samples.testkit.ts";
import { conversationContent } from "./prompt-content.ts";
import { expectedOutput, expectText, maxUsage, tokensToBook } from "./expected-usage.ts";

const content = conversationContent({ ...plainRequest, tools: [] });
const expectHello = (answers?: number | null, maxTokens?: number | null) =>
  expectText(content, () => 40, answers, maxTokens);
const read = 9;
const unknown = { maxOutputTokens: null, contextLength: null };

describe("booking", () => {
  test("takes the input, and the max output of all answers", () => {
    expect(tokensToBook(expectHello(), unknown)).toBe(read);
    expect(tokensToBook(expectHello(1, 100), unknown)).toBe(read + 100);
    expect(tokensToBook(expectHello(3, 100), unknown)).toBe(read + 300);
  });

  test("takes at most the model's max output", () => {
    expect(tokensToBook(expectHello(2, 5_000), { maxOutputTokens: 1_000, contextLength: null })).toBe(read + 2_000);
    expect(tokensToBook(expectHello(2), { maxOutputTokens: 1_000, contextLength: null })).toBe(read);
  });

  test("no value of a caller raises a limit", () => {
    const odd = fc.oneof(fc.double(), fc.constantFrom(-1_000_000, -1, 0, 1e16, 1e300, Number.NaN, -Infinity, Infinity));
    fc.assert(
      fc.property(odd, odd, (answers, maxTokens) => {
        const usage = expectHello(answers, maxTokens);
        for (const figure of [
          tokensToBook(usage, unknown),
          expectedOutput(usage, unknown),
          maxUsage(usage, { ...unknown, contextLength: 100 })?.output ?? Number.NaN,
        ]) {
          expect(Number.isInteger(figure) && figure >= 0 && figure <= maxQuantity).toBe(true);
        }
        expect(tokensToBook(usage, unknown)).toBeGreaterThanOrEqual(read);
      }),
    );
  });
});

describe("the maximum", () => {
  test("is bounded by the request and by the model, whichever is less", () => {
    expect(maxUsage(expectHello(2, 100), unknown)).toEqual({ input: 1_040, output: 200 });
    expect(maxUsage(expectHello(2, 100), { maxOutputTokens: 50, contextLength: 500 })).toEqual({
      input: 500,
      output: 100,
    });
  });

  test("is unknown if the output or the input is unbounded", () => {
    expect(maxUsage(expectHello(), unknown)).toBeNull();
    const searching = expectText({ ...content, hostedTools: 1 }, () => 40, 1, 100);
    expect(maxUsage(searching, unknown)).toBeNull();
    expect(maxUsage(searching, { ...unknown, contextLength: 500 })).toEqual({ input: 500, output: 100 });
  });

  test("computes the size only if it is needed", () => {
    const never = () => {
      throw new Error("asked for the size");
    };
    expect(tokensToBook(expectText(content, never, 1, 5), unknown)).toBe(read + 5);
  });
});
