import * as fc from "fast-check";
import * as arbitrary from "../../../conversation/arbitraries.testkit.ts";
import { testAnswers, testRequests, testStreams } from "../../round-trip.testkit.ts";
import { chatCodec } from "./codec.ts";

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

testRequests(chatCodec, "gpt-5.7", messages, settings);

const reasoning = fc.oneof(
  arbitrary.signedReasoning("anthropic"),
  arbitrary.signedReasoning("openai"),
  arbitrary.text.map((text) => ({ type: "reasoning" as const, text })),
);
const response = arbitrary
  .response(reasoning, arbitrary.reportedUsage("plain"))
  .map((answer) => ({ ...answer, id: `chatcmpl-${answer.id}` }));

testAnswers(chatCodec, context, response);

testStreams(chatCodec, context, response);
