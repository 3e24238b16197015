import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../../conversation/arbitraries.testkit.ts";
import { sumOf } from "../../dimensions.ts";
import { testAnswers, testRequests, testStreams } from "../round-trip.testkit.ts";
import { messagesCodec } from "./codec.ts";

const { caller, provider } = messagesCodec;
const target = { model: "claude-sonnet-4-6", maxOutputTokens: null };
const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };

const messages = arbitrary.conversation({
  instructions: "system",
  userPart: fc.oneof(arbitrary.textPart, arbitrary.imagePart, arbitrary.pdfPart),
  resultPart: fc.oneof(arbitrary.textPart, arbitrary.imagePart, arbitrary.pdfPart),
  reasoning: arbitrary.signedReasoning("anthropic"),
  errors: true,
});

const settings = fc.record(
  {
    tools: fc.array(arbitrary.functionTool, { minLength: 1, maxLength: 2 }),
    toolChoice: fc.constantFrom({ type: "auto" }, { type: "required" }, { type: "tool", kind: "function", name: "f" }),
    responseFormat: fc.constant({
      type: "schema",
      schema: { type: "object", properties: { a: { type: "string" } }, additionalProperties: false },
    }),
    reasoning: fc.constantFrom({ enabled: false }),
    maxOutputTokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 1),
    topP: fc.constantFrom(0, 0.5, 1),
    topK: fc.integer({ min: 1, max: 100 }),
    stop: fc.array(arbitrary.text, { minLength: 1, maxLength: 4 }),
    userId: arbitrary.name,
    serviceTier: fc.constantFrom("auto", "standard"),
    vendorFields: fc.constant({ "anthropic.container": "c", "anthropic.speed": "fast" }),
    stream: fc.boolean(),
  },
  { requiredKeys: ["tools", "maxOutputTokens"] },
) as fc.Arbitrary<object>;

testRequests(messagesCodec, "claude-sonnet-4-6", messages, settings);

test("thinking encoded and decoded again is the same", () => {
  const chosen = fc.constantFrom(
    { enabled: true, effort: "max" as const },
    { enabled: true, summary: "none" as const },
    { enabled: true, effort: "low" as const, summary: "auto" as const },
  );
  fc.assert(
    fc.property(messages, chosen, (conversation, reasoning) => {
      const request = arbitrary.requestOf(conversation, { reasoning, maxOutputTokens: 5_000 });
      const { body } = provider.encodeRequest(request, target);
      const decoded = caller.decodeRequest(JSON.parse(JSON.stringify(body)));
      const usual = "summary" in reasoning ? {} : { shownByDefault: true as const };
      expect(decoded.reasoning).toEqual({ effort: undefined, ...usual, ...reasoning });
    }),
  );
});

const anyReasoning = fc.oneof(
  arbitrary.signedReasoning("anthropic"),
  arbitrary.text.map((text) => ({ type: "reasoning" as const, text })),
);
const response = arbitrary
  .response(anyReasoning, arbitrary.reportedUsage("split"))
  .map((answer) => ({ ...answer, id: `msg_${answer.id}`, created: null }));

testAnswers(messagesCodec, context, response);

/** A stream begins with an estimate, which a count of 0 does not take back; no answer reads or writes nothing. */
const counted = response.filter(
  ({ usage }) => usage !== null && sumOf(usage.quantities, "token", "input") > 0 && usage.quantities.output !== 0,
);

testStreams(messagesCodec, context, counted);

test("reasoning of any vendor survives a tool loop through a caller of this dialect", () => {
  const foreign = fc.oneof(arbitrary.signedReasoning("openai"), arbitrary.signedReasoning("google"));
  fc.assert(
    fc.property(arbitrary.response(foreign, arbitrary.reportedUsage("none")), arbitrary.name, (answer, value) => {
      const signature = { vendor: "google", value } as const;
      const [candidate] = answer.candidates;
      const parts = (candidate?.parts ?? []).map((part) => (part.type === "tool-call" ? { ...part, signature } : part));
      const signed = { ...answer, candidates: [{ parts, finish: { reason: "stop" } as const }] };
      const { content } = caller.encodeResponse(signed, context);
      const echoed = caller.decodeRequest({
        model: "m",
        max_tokens: 1,
        messages: [
          { role: "assistant", content },
          { role: "user", content: "Go on." },
        ],
      });
      expect(arbitrary.bare(echoed.messages[0]?.parts)).toEqual(arbitrary.bare(parts));
    }),
  );
});
