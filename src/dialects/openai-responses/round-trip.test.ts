import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../../conversation/arbitraries.testkit.ts";
import type { ReasoningPart, TextPart } from "../../conversation/parts.ts";
import type { ConversationRequest } from "../../conversation/request.ts";
import type { ConversationResponse } from "../../conversation/response.ts";
import { testAnswers, testRequests, testStreams } from "../round-trip.testkit.ts";
import { responsesCodec } from "./codec.ts";
import { reasoningIdOf } from "./answer/reasoning.ts";
import { parseEvents, validateEvents } from "./stream/validate-events.testkit.ts";

const { caller, provider } = responsesCodec;
const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };

/** Reasoning always has an id here: one without is given one. */
const withId = (part: ReasoningPart): ReasoningPart => ({ ...part, id: reasoningIdOf(part) });
const sealed = arbitrary.signedReasoning("openai").map(withId);

const cachedText = arbitrary.text.map((text): TextPart => ({ type: "text", text, cache: { lifetime: "30m" } }));

const messages = arbitrary.conversation({
  instructions: "developer",
  userPart: fc.oneof(arbitrary.textPart, cachedText, arbitrary.imagePart, arbitrary.pdfPart),
  resultPart: fc.oneof(arbitrary.textPart, arbitrary.imagePart, arbitrary.pdfPart),
  reasoning: sealed,
  errors: false,
});

const strictTool = fc.record({ tool: arbitrary.functionTool, strict: fc.boolean() });
const customTool = arbitrary.name.map((name) => ({
  type: "custom",
  name,
  format: { type: "grammar", syntax: "lark", definition: "start: /a/" },
}));

const settings = fc.record(
  {
    tools: fc.array(
      fc.oneof(
        strictTool.map(({ tool, strict }) => ({ ...tool, strict })),
        customTool,
      ),
      {
        minLength: 1,
        maxLength: 2,
      },
    ),
    toolChoice: fc.constantFrom(
      { type: "auto" },
      { type: "required" },
      { type: "tool", kind: "function", name: "f" },
      { type: "allowed", mode: "required", names: ["f", "g"] },
      { type: "native", vendor: "openai", value: { type: "web_search" } },
    ),
    parallelToolCalls: fc.boolean(),
    responseFormat: fc.constantFrom({ type: "json" }, { type: "schema", name: "a", schema: { type: "object" } }),
    reasoning: fc.constantFrom({ enabled: false }, { effort: "max" }, { effort: "low", summary: "auto" }),
    verbosity: fc.constantFrom("low", "high"),
    maxOutputTokens: fc.integer({ min: 16, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    topP: fc.constantFrom(0, 0.5, 1),
    logprobs: fc.constant(true),
    userId: arbitrary.name,
    safetyIdentifier: arbitrary.name,
    metadata: fc.dictionary(arbitrary.name, arbitrary.text, { minKeys: 1, maxKeys: 2 }),
    serviceTier: fc.constantFrom("auto", "standard", "ultrafast"),
    cacheKey: arbitrary.name,
    vendorFields: fc.constantFrom(
      { "openai.truncation": "auto", "openai.max_tool_calls": 3, "openai.reasoning_mode": "pro" },
      { "openai.include": ["web_search_call.action.sources"], "openai.prompt": { id: "p" } },
    ),
    stream: fc.boolean(),
  },
  { requiredKeys: ["tools"] },
) as fc.Arbitrary<Partial<ConversationRequest>>;

testRequests(responsesCodec, "gpt-6", messages, settings);

const anyReasoning = fc
  .oneof(
    arbitrary.signedReasoning("openai"),
    arbitrary.signedReasoning("anthropic"),
    arbitrary.text.map((text): ReasoningPart => ({ type: "reasoning", text })),
  )
  .map(withId);

const logprobs = fc.array(
  fc.record({
    token: arbitrary.text,
    logprob: fc.constantFrom(-1.5, -0.25),
    bytes: fc.constant([97]),
    top: fc.constant([]),
  }),
  { minLength: 1, maxLength: 3 },
);

/** Adds the parts that only this dialect's answers have. */
const response: fc.Arbitrary<ConversationResponse> = fc
  .record({
    answer: arbitrary.response(anyReasoning, arbitrary.reportedUsage("plain")),
    phase: fc.constantFrom(undefined, "commentary"),
    cited: fc.boolean(),
    refusal: fc.option(arbitrary.text, { nil: null }),
    logprobs: fc.option(logprobs, { nil: null }),
  })
  .map(({ answer, phase, cited, refusal, logprobs }) => {
    const candidate = answer.candidates[0] ?? { parts: [], finish: { reason: "stop" } as const };
    const citations = cited ? [{ url: "https://example.com", title: "t", start: 0, end: 1 }] : undefined;
    const parts = candidate.parts.map((part) => (part.type === "text" ? { ...part, phase, citations } : part));
    const said = parts.some((part) => part.type === "text");
    const declined = refusal !== null && candidate.finish.reason === "stop";
    return {
      ...answer,
      id: `resp_${answer.id ?? ""}`,
      serviceTier: "default",
      candidates: [
        {
          parts: declined ? [...parts, { type: "refusal" as const, text: refusal }] : parts,
          finish: declined ? { reason: "refusal" as const } : candidate.finish,
          logprobs: said && logprobs !== null ? logprobs : undefined,
        },
      ],
    };
  });

testAnswers(responsesCodec, context, response);

testStreams(responsesCodec, context, response, (bytes, answer) => {
  const last = validateEvents(parseEvents(new TextDecoder().decode(bytes)));
  expect(arbitrary.bare(provider.decodeResponse(last))).toEqual(arbitrary.bare(answer));
});

test("reasoning of any vendor survives a tool loop through a caller of this dialect", () => {
  const foreign = fc.oneof(arbitrary.signedReasoning("anthropic"), arbitrary.signedReasoning("google")).map(withId);
  fc.assert(
    fc.property(arbitrary.response(foreign, arbitrary.reportedUsage("none")), arbitrary.name, (answer, value) => {
      const signature = { vendor: "google", value } as const;
      const [candidate] = answer.candidates;
      const parts = (candidate?.parts ?? []).map((part) =>
        part.type === "tool-call" || part.type === "text" ? { ...part, signature } : part,
      );
      const signed = { ...answer, candidates: [{ parts, finish: { reason: "stop" } as const }] };
      const { output } = caller.encodeResponse(signed, context);
      const input = [...(output as object[]), { role: "user", content: "Go on." }];
      const echoed = caller.decodeRequest(JSON.parse(JSON.stringify({ model: "m", input })));
      expect(arbitrary.bare(parts.length === 0 ? [] : echoed.messages[0]?.parts)).toEqual(arbitrary.bare(parts));
      expect(echoed.unknownFields).toBeUndefined();
    }),
  );
});
