import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../../../conversation/arbitraries.testkit.ts";
import { openCollector } from "../../../conversation/collect.ts";
import { eventsOf } from "../../../conversation/events-of.ts";
import { reviewRequest } from "../../../conversation/fields/support.ts";
import { validateStream } from "../../../conversation/validate-stream.testkit.ts";
import { decodeAll, encodeAll } from "../../stream-bytes.testkit.ts";
import { chatCodec } from "./codec.ts";

const { caller, provider } = chatCodec;
const target = { model: "gpt-5.7", maxOutputTokens: null };
const context = {
  callerBody: { stream_options: { include_usage: true } },
  model: "m",
  fallbackId: "1",
  created: 1,
  estimatedInputTokens: 1,
};

const messages = arbitrary.conversation({
  instructions: "developer",
  userPart: fc.oneof(arbitrary.textPart, arbitrary.imagePart, arbitrary.pdfPart),
  resultPart: arbitrary.textPart,
  reasoning: null,
  errors: false,
});

const settings = fc.record(
  {
    tools: fc.array(arbitrary.functionTool, { minLength: 1, maxLength: 2 }),
    toolChoice: fc.constantFrom({ type: "auto" }, { type: "none" }, { type: "required" }),
    parallelToolCalls: fc.boolean(),
    responseFormat: fc.constantFrom(
      { type: "json" },
      { type: "schema", name: "answer", schema: { type: "object" }, strict: true },
    ),
    reasoning: fc.constantFrom({ effort: "high" }, { effort: "minimal" }, { enabled: false }),
    verbosity: fc.constantFrom("low", "high"),
    maxOutputTokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    topP: fc.constantFrom(0, 0.5, 1),
    presencePenalty: fc.constantFrom(-1, 0.5),
    frequencyPenalty: fc.constantFrom(-1, 0.5),
    seed: fc.integer(),
    stop: fc.array(arbitrary.text, { minLength: 1, maxLength: 4 }),
    candidateCount: fc.integer({ min: 1, max: 4 }),
    logprobs: fc.boolean(),
    topLogprobs: fc.integer({ min: 0, max: 20 }),
    userId: arbitrary.name,
    safetyIdentifier: arbitrary.name,
    metadata: fc.constant({ a: "b" }),
    serviceTier: fc.constantFrom("auto", "standard", "priority"),
    cacheKey: arbitrary.name,
    vendorFields: fc.constant({ "openai.logit_bias": { "1": 2 }, "openai.store": true }),
    stream: fc.boolean(),
  },
  { requiredKeys: ["tools"] },
) as fc.Arbitrary<object>;

test("a request encoded and decoded again is the same request", () => {
  fc.assert(
    fc.property(messages, settings, (conversation, chosen) => {
      const request = arbitrary.requestOf(conversation, chosen);
      expect(reviewRequest(request, provider.support(target.model))).toEqual({ refusal: null, warnings: [] });
      const { body, warnings } = provider.encodeRequest(request, target);
      expect(warnings).toEqual([]);
      const decoded = caller.decodeRequest(JSON.parse(JSON.stringify(body)));
      expect(arbitrary.bare({ ...decoded, model: "any" })).toEqual(arbitrary.bare(request));
    }),
  );
});

const reasoning = fc.oneof(
  arbitrary.signedReasoning("anthropic"),
  arbitrary.signedReasoning("openai"),
  arbitrary.text.map((text) => ({ type: "reasoning" as const, text })),
);
const response = arbitrary
  .response(reasoning, arbitrary.reportedUsage("plain"))
  .map((answer) => ({ ...answer, id: `chatcmpl-${answer.id}` }));

test("an answer encoded and decoded again is the same answer", () => {
  fc.assert(
    fc.property(response, (answer) => {
      const body: unknown = JSON.parse(JSON.stringify(caller.encodeResponse(answer, context)));
      expect(arbitrary.bare(provider.decodeResponse(body))).toEqual(arbitrary.bare(answer));
    }),
  );
});

test("a streamed answer, however cut, is the answer that JSON says", () => {
  fc.assert(
    fc.property(response, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 400 }), (answer, size, chunk) => {
      const bytes = encodeAll(caller.openStreamEncoder(context), arbitrary.inPieces(eventsOf(answer), size));
      const events = decodeAll(provider.openStreamDecoder(), bytes, chunk);
      validateStream(events);
      const collector = openCollector();
      for (const event of events) collector.push(event);
      expect(arbitrary.bare(collector.response())).toEqual(arbitrary.bare(answer));
    }),
  );
});
