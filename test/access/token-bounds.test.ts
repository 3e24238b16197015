import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import type { JsonObject } from "../../src/json/values.ts";
import {
  chatCaller,
  geminiEventsCaller,
  messagesCaller,
  responsesCaller,
  type Caller,
} from "../dialects/callers.testkit.ts";
import { dialects, modelOf, upstreamModels } from "../dialects/gateway.testkit.ts";
import { scripted } from "../dialects/post.testkit.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";

/** The bound that a caller sets on the tokens of an answer: checked, lowered to the model's own, and booked so. */

const own = 1_000;

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    providers: (url) =>
      dialects.map((dialect) => {
        const baseUrl = dialect.startsWith("openai") ? url : url.replace(/\/v1$/, "");
        return { id: dialect, dialects: [dialect], baseUrl };
      }),
    models: dialects.map((dialect) => ({
      id: modelOf(dialect),
      targets: [{ provider: dialect, model: upstreamModels[dialect] }],
      parameters: {},
      maxOutputTokens: own,
    })),
    sandbox: { models: Object.fromEntries(Object.values(upstreamModels).map((model) => [model, {}])) },
  });
});
beforeEach(() => gateway.sandbox.reset());
afterAll(() => gateway.stop());

/** A caller's way to write its bound. */
interface Bound {
  readonly caller: Caller;
  readonly field: string;
  /** As raw JSON text, so that a test can write any number. */
  readonly write: (value: string) => string;
}

const bounds: readonly Bound[] = [
  { caller: chatCaller, field: "max_tokens", write: (value) => `"max_tokens": ${value}` },
  { caller: chatCaller, field: "max_completion_tokens", write: (value) => `"max_completion_tokens": ${value}` },
  { caller: chatCaller, field: "n_predict", write: (value) => `"n_predict": ${value}` },
  { caller: responsesCaller, field: "max_output_tokens", write: (value) => `"max_output_tokens": ${value}` },
  { caller: messagesCaller, field: "max_tokens", write: (value) => `"max_tokens": ${value}` },
  {
    caller: geminiEventsCaller,
    field: "generationConfig.maxOutputTokens",
    write: (value) => `"generationConfig": { "maxOutputTokens": ${value}, "topP": 0.5 }`,
  },
  {
    caller: geminiEventsCaller,
    field: "generation_config.max_output_tokens",
    write: (value) => `"generation_config": {"max_output_tokens":${value}}`,
  },
];

const reply = scripted({ text: "Hello.", tokens: { input: 10, output: 5 } });

async function ask(
  caller: Caller,
  member: string,
  { model = modelOf("openai-chat"), key = gateway.key, stream = false } = {},
) {
  const { max_tokens: _, ...body } = caller.body(model, reply, { stream });
  const response = await gateway.fetch(caller.path(model, stream), {
    method: "POST",
    headers: { "content-type": "application/json", authorization: `Bearer ${key}` },
    body: `${JSON.stringify(body).slice(0, -1)}, ${member} }`,
  });
  return { status: response.status, headers: response.headers, text: await response.text() };
}

const sentText = () => new TextDecoder().decode(gateway.sandbox.requests.at(-1)?.body);
const sentBody = () => JSON.parse(sentText()) as JsonObject;

/** The bound in a body of any dialect. */
function boundIn(body: JsonObject): unknown {
  const config = (body["generationConfig"] ?? body["generation_config"] ?? {}) as JsonObject;
  const values = [body["max_tokens"], body["max_completion_tokens"], body["max_output_tokens"], body["n_predict"]];
  return [...values, config["maxOutputTokens"], config["max_output_tokens"]].find((value) => value !== undefined);
}

const cases = bounds.map((bound) => [bound.caller.name, bound.field, bound] as const);

describe("a bound that is none is refused in the caller's own words", () => {
  test.each(cases)("%s: %s", async (_name, field, { caller, write }) => {
    const bad = ["-1000000", "-1", "1.5", '"12"', "true", "[1]", "-9007199254740993"];
    for (const value of field === "max_tokens" && caller === messagesCaller ? bad : [...bad, "0"]) {
      const { status, text } = await ask(caller, write(value));
      expect({ value, status }).toEqual({ value, status: 400 });
      expect(text).toContain(field);
    }
    expect(gateway.sandbox.requests).toHaveLength(0);
  });

  test("0 is legal for Messages", async () => {
    const model = modelOf("anthropic-messages");
    expect((await ask(messagesCaller, '"max_tokens": 0', { model })).status).toBe(200);
    expect(sentBody()["max_tokens"]).toBe(0);
  });

  test("the number of answers is bounded too", async () => {
    for (const value of ["0", "-1", "129", "1e300", "1.5", '"2"']) {
      for (const [caller, member, field] of [
        [chatCaller, `"n": ${value}`, "'n'"],
        [geminiEventsCaller, `"generationConfig": {"candidateCount": ${value}}`, "generationConfig.candidateCount"],
      ] as const) {
        const { status, text } = await ask(caller, member);
        expect({ value, status }).toEqual({ value, status: 400 });
        expect(text).toContain(field);
      }
    }
    expect((await ask(chatCaller, '"n": 128')).status).toBe(200);
  });
});

describe("a bound above the model's own is lowered to it", () => {
  const crossed = cases.flatMap(([name, field, bound]) =>
    dialects.map((dialect) => [name, field, dialect, bound] as const),
  );

  test.each(crossed)("%s: %s, at %s", async (_name, field, dialect, { caller, write }) => {
    const model = modelOf(dialect);
    for (const value of ["1001", "20000", "1e16", "1e25", "9007199254740993"]) {
      const { status, headers } = await ask(caller, write(value), { model, stream: value === "20000" });
      expect(status).toBe(200);
      expect(headers.get("x-service-warnings")).toContain(field);
      expect(boundIn(sentBody())).toBe(own);
    }
    for (const value of ["1000", "17"]) {
      const { headers } = await ask(caller, write(value), { model });
      expect(headers.get("x-service-warnings") ?? "").not.toContain(field);
      expect(boundIn(sentBody())).toBe(Number(value));
    }
  });

  test("and nothing else of a text that passes through", async () => {
    const member = '"x_own" : [1.0, {"max_tokens":5000}],\n "max_tokens" :  5000';
    await ask(chatCaller, member);
    expect(sentText()).toContain('"x_own" : [1.0, {"max_tokens":5000}],\n "max_tokens" :  1000 }');
  });

  test("in every field that says it", async () => {
    const { headers } = await ask(chatCaller, '"max_tokens": 5000, "max_completion_tokens": 10');
    expect(sentBody()).toMatchObject({ max_tokens: 10, max_completion_tokens: 10 });
    expect(headers.get("x-service-warnings")).toBe("max_tokens");
    await ask(chatCaller, '"n_predict": 5000, "max_tokens": 3000');
    expect(sentBody()).toMatchObject({ max_tokens: 1000, n_predict: 1000 });
  });

  test.each(cases)("%s: %s twice is refused", async (_name, field, { caller, write }) => {
    const written = write("5000").replace(/("\w+")\s*:\s*5000/, "$1: 5000, $1: 5");
    const { status, text } = await ask(caller, written);
    expect({ status, text }).toMatchObject({ status: 400, text: expect.stringContaining(`'${field}'`) });
    expect(gateway.sandbox.requests).toBeEmpty();
  });

  test("also if the gateway continues a response by itself", async () => {
    const model = modelOf("openai-responses");
    const first = await ask(responsesCaller, '"max_output_tokens": 5000', { model });
    const { id } = JSON.parse(first.text) as { id: string };
    await ask(responsesCaller, `"max_output_tokens": 5000, "previous_response_id": "${id}"`, { model });
    expect(sentBody()["max_output_tokens"]).toBe(own);
    expect(sentBody()["input"]).toHaveLength(3);
  });
});

describe("booking", () => {
  test.each(cases)("%s: %s books what the model may write at most", async (_name, _field, { caller, write }) => {
    const refused = await gateway.newKey({ limits: { tokensPerMinute: own - 1 } });
    expect(await ask(caller, write("50000"), refused)).toMatchObject({ status: 400 });
    const admitted = await gateway.newKey({ limits: { tokensPerMinute: own + 100 } });
    expect((await ask(caller, write("50000"), admitted)).status).toBe(200);
  });

  test("no bound lifts the limit of tokens", async () => {
    for (const { caller, field, write } of bounds) {
      const key = await gateway.newKey({ limits: { tokensPerMinute: 300 } });
      for (const value of ["-1000000", "-1e300", "1e300"]) {
        expect({ field, status: (await ask(caller, write(value), key)).status }).toEqual({ field, status: 400 });
      }
      expect((await ask(caller, write("100"), key)).status).toBe(200);
      expect((await ask(caller, write("265"), key)).status).toBe(429);
    }
  });

  test("several answers are booked each", async () => {
    const key = await gateway.newKey({ limits: { tokensPerMinute: 2_500 } });
    expect((await ask(chatCaller, '"n": 3, "max_tokens": 50000', key)).status).toBe(400);
    expect((await ask(chatCaller, '"n": 2, "max_tokens": 50000', key)).status).toBe(200);
    const config = (count: number) => `"generationConfig": {"candidateCount": ${count}, "maxOutputTokens": 50000}`;
    const other = await gateway.newKey({ limits: { tokensPerMinute: 2_500 } });
    expect((await ask(geminiEventsCaller, config(3), other)).status).toBe(400);
    expect((await ask(geminiEventsCaller, config(2), other)).status).toBe(200);
  });
});
