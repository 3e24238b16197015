import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { AnswerFault, type Exchange } from "../dialects/exchange.ts";
import type { RequestWay } from "../operations/request-way.ts";
import { searchExchange } from "./exchange.ts";
import { tavily } from "./providers/tavily/provider.ts";
import { searchRequest } from "./request.testkit.ts";
import type { SearchRequest } from "./request.ts";

const way: RequestWay = {
  requestId: "req_1",
  isExplicit: false,
  named: null,
  backends: [],
  candidates: [],
  attempts: [],
  hideProvider: false,
};

const everything = { includeRawContent: true, includeProviderPayload: true, includeAnswer: true };
const onlyExample = { include: new Set(["example.com"]), exclude: new Set<string>() };

function exchangeFor(changes: Partial<SearchRequest> = {}): Exchange {
  return searchExchange(searchRequest({ ...everything, ...changes }), tavily, 20, []);
}

function bytesOf(payload: unknown): Uint8Array {
  return new TextEncoder().encode(JSON.stringify(payload));
}

function textOf(body: string | Uint8Array | undefined): string {
  return typeof body === "string" ? body : new TextDecoder("utf-8", { fatal: true }).decode(body);
}

/** The caller's answer. */
function reading(bytes: Uint8Array, changes: Partial<SearchRequest> = {}) {
  return JSON.parse(textOf(exchangeFor(changes).readWhole(bytes).report?.(way).body));
}

async function readingInSteps(bytes: Uint8Array, changes: Partial<SearchRequest> = {}) {
  const answer = await exchangeFor(changes).readLarge?.(bytes, { take: () => undefined });
  return JSON.parse(textOf(answer?.report?.(way).body));
}

const page = (more: object) => ({ title: "t", url: "https://example.com/", content: "s", ...more });

test("a large answer is read in steps to the same end", async () => {
  const result = fc.record({
    title: fc.string({ unit: "binary" }),
    url: fc.oneof(fc.webUrl(), fc.constant("https://example.com/a"), fc.string()),
    content: fc.string({ unit: "binary" }),
    raw_content: fc.option(fc.string({ unit: "binary" })),
    score: fc.option(fc.double()),
  });
  const payload = fc.record({ results: fc.array(result), answer: fc.option(fc.string()), more: fc.jsonValue() });
  await fc.assert(
    fc.asyncProperty(payload, fc.boolean(), async (given, isRestricted) => {
      const changes = isRestricted ? { rules: onlyExample } : {};
      const bytes = bytesOf(given);
      expect(await readingInSteps(bytes, changes)).toEqual(reading(bytes, changes));
    }),
  );
});

describe("a payload", () => {
  test("without rules is passed on as it came", () => {
    const text = '{"results": [], "n": 1.0000000000000000001}';
    const { body } = exchangeFor().readWhole(new TextEncoder().encode(text)).report?.(way) ?? {};
    expect(textOf(body)).toContain(`"provider_payload":${text}`);
  });

  test.each([
    ["a byte order mark", [0xef, 0xbb, 0xbf], []],
    ["a byte that is no UTF-8", [], [0x20, 0xff]],
  ])("that is no plain text makes none of the answer: %s", async (_, before, after) => {
    const text = [...new TextEncoder().encode('{"results":[],"x":"'), ...after, ...new TextEncoder().encode('"}')];
    const bytes = new Uint8Array([...before, ...text]);
    expect(await readingInSteps(bytes)).toEqual(reading(bytes));
  });
});

test("what is no answer is a fault, in steps too", async () => {
  for (const text of ["", "[]", "null", "{", '{"results":1}']) {
    const bytes = new TextEncoder().encode(text);
    expect(() => exchangeFor().readWhole(bytes)).toThrow("The provider's answer");
    const fault = await exchangeFor()
      .readLarge?.(bytes, { take: () => undefined })
      .catch((error: unknown) => error);
    expect(fault).toBeInstanceOf(AnswerFault);
  }
});

test("a long page and a long answer are cut, and marked", () => {
  const given = { results: [page({ raw_content: "x".repeat(300_001) })], answer: "y".repeat(100_001) };
  const { results, answer } = reading(bytesOf(given));
  expect(results[0].content).toBe(`${"x".repeat(300_000)}…`);
  expect(answer).toBe(`${"y".repeat(99_999)}…`);
  const whole = { results: [page({ raw_content: "x".repeat(300_000) })], answer: "y".repeat(100_000) };
  expect(reading(bytesOf(whole))).toMatchObject({ answer: whole.answer, results: [{ content: "x".repeat(300_000) }] });
});
