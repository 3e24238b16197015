import { afterAll, beforeAll, expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../../conversation/arbitraries.testkit.ts";
import { openCollector } from "../../conversation/collect.ts";
import type { DocumentPart } from "../../conversation/parts.ts";
import { validateStream } from "../../conversation/validate-stream.testkit.ts";
import { type Sandbox, startSandbox } from "../../sandbox/server.ts";
import { decodeAll } from "../stream-bytes.testkit.ts";
import { geminiCodec } from "./codec.ts";
import { decodeTokenCount, encodeCountTokensRequest } from "./count-tokens.ts";
import { decodeEmbeddingsAnswer, encodeEmbeddingsRequest } from "./embeddings/embeddings.ts";

/** The sandbox reads the wire by itself, and refuses what Google refuses: what it takes is well written. */
const { caller, provider } = geminiCodec;
const models = ["gemini-2.5-flash", "gemini-3-flash"];
let sandbox: Sandbox;
beforeAll(async () => {
  sandbox = await startSandbox({ models: Object.fromEntries(models.map((model) => [model, {}])) });
});
afterAll(() => sandbox.stop());

async function post(path: string, body: unknown): Promise<Response> {
  const response = await fetch(sandbox.url + path, { method: "POST", body: JSON.stringify(body) });
  expect([response.status, response.ok ? "" : await response.text()]).toEqual([200, ""]);
  return response;
}

const pdf = arbitrary.pdfPart.map((part): DocumentPart => part);
const image = arbitrary.imagePart.filter((part) => part.source.type === "data");
const conversation = arbitrary.conversation({
  instructions: "developer",
  userPart: fc.oneof(arbitrary.textPart, image, pdf),
  resultPart: fc.oneof(arbitrary.textPart, image),
  reasoning: arbitrary.signedReasoning("anthropic"),
  errors: true,
});
const settings = fc.record(
  {
    reasoning: fc.constantFrom({ effort: "minimal" }, { effort: "max" }, { enabled: false }, { budgetTokens: 3_000 }),
    responseFormat: fc.constant({
      type: "schema",
      schema: { $schema: "x", type: "object", properties: { kind: { const: "a" } }, required: ["kind"] },
    }),
    toolChoice: fc.constantFrom({ type: "none" }, { type: "allowed", mode: "auto", names: ["f"] }),
    tools: fc.constant([
      {
        type: "function",
        name: "f",
        strict: true,
        parameters: { $ref: "#/definitions/a", title: "A", definitions: { a: { const: 1 } } },
      },
    ]),
    logprobs: fc.constant(true),
    temperature: fc.constant(0.5),
    stop: fc.constant(["\u0000"]),
  },
  { requiredKeys: ["tools"] },
) as fc.Arbitrary<object>;

test("conversations of every dialect are accepted by Google's sandbox, and its answers are read", async () => {
  await fc.assert(
    fc.asyncProperty(conversation, settings, fc.constantFrom(...models), async (messages, chosen, model) => {
      const target = { model, maxOutputTokens: null };
      const request = arbitrary.requestOf(messages, chosen);
      const whole = provider.encodeRequest(request, target);
      const answer = provider.decodeResponse(await (await post(whole.path, whole.body)).json());
      expect(answer.candidates[0]?.finish.reason).not.toBe("error");

      const streamed = provider.encodeRequest({ ...request, stream: true }, target);
      const bytes = new Uint8Array(await (await post(streamed.path, streamed.body)).arrayBuffer());
      const events = decodeAll(provider.openStreamDecoder(), bytes, 64);
      validateStream(events);
      const collector = openCollector();
      for (const event of events) collector.push(event);
      const { id: _id, ...said } = collector.response();
      const { id: _other, ...expected } = answer;
      expect(withoutIds(said)).toEqual(withoutIds(expected));

      const count = encodeCountTokensRequest(whole.body, model);
      expect(decodeTokenCount(await (await post(count.path, count.body)).json())).toBeGreaterThan(0);
    }),
    { numRuns: 40 },
  );
});

/** Calls come without ids from Google: those they are given follow from the answer's. */
function withoutIds(value: object): unknown {
  return JSON.parse(JSON.stringify(arbitrary.bare(value)).replaceAll(/call_[0-9a-f]{24}/g, "call"));
}

test("a tool loop with parallel calls, whose signatures come back through a caller of another answer", async () => {
  const tools = [
    {
      type: "function" as const,
      name: "get_weather",
      parameters: { type: "object", properties: { city: { type: "string" } } },
    },
  ];
  const asked = { role: "user" as const, parts: [{ type: "text" as const, text: "weather in Paris and Rome" }] };
  const target = { model: "gemini-3-flash", maxOutputTokens: null };
  const first = provider.encodeRequest(arbitrary.requestOf([asked], { tools }), target);
  const answer = provider.decodeResponse(await (await post(first.path, first.body)).json());
  const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };
  const { candidates } = JSON.parse(JSON.stringify(caller.encodeResponse(answer, context))) as {
    candidates: { content: { parts: { functionCall: { id: string; name: string } }[] } }[];
  };
  const content = candidates[0]?.content;
  const parts = content?.parts.map(({ functionCall: { id, name } }) => ({
    functionResponse: { id, name, response: { result: id } },
  }));
  const contents = [{ role: "user", parts: [{ text: "weather in Paris and Rome" }] }, content, { role: "user", parts }];
  const request = caller.decodeRequest({ contents }, { model: "m" });
  const second = provider.encodeRequest({ ...request, tools }, target);
  expect(JSON.stringify(second.body)).not.toContain("skip_thought_signature_validator");
  await post(second.path, second.body);
});

test("embeddings", async () => {
  const { path, body } = encodeEmbeddingsRequest({ model: "gemini-3-flash", inputs: ["a", "b"], dimensions: 5 });
  const { embeddings } = decodeEmbeddingsAnswer(await (await post(path, body)).json(), 2);
  expect(embeddings.map((values) => values.length)).toEqual([5, 5]);
});
