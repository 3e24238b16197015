import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../../conversation/arbitraries.testkit.ts";
import { openCollector } from "../../conversation/collect.ts";
import { eventsOf } from "../../conversation/events-of.ts";
import { reviewRequest } from "../../conversation/fields/support.ts";
import { validateStream } from "../../conversation/validate-stream.testkit.ts";
import { sumOf } from "../../dimensions.ts";
import { decodeAll, encodeAll } from "../stream-bytes.testkit.ts";
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

test("an answer encoded and decoded again is the same answer", () => {
  fc.assert(
    fc.property(response, (answer) => {
      const body: unknown = JSON.parse(JSON.stringify(caller.encodeResponse(answer, context)));
      expect(arbitrary.bare(provider.decodeResponse(body))).toEqual(arbitrary.bare(answer));
    }),
  );
});

/** A stream begins with an estimate, which a count of 0 does not take back; no answer reads or writes nothing. */
const counted = response.filter(
  ({ usage }) => usage !== null && sumOf(usage.quantities, "token", "input") > 0 && usage.quantities.output !== 0,
);

test("a streamed answer, however cut, is the answer that JSON says", () => {
  fc.assert(
    fc.property(counted, fc.integer({ min: 1, max: 9 }), fc.integer({ min: 1, max: 400 }), (answer, size, chunk) => {
      const bytes = encodeAll(caller.openStreamEncoder(context), arbitrary.inPieces(eventsOf(answer), size));
      const events = decodeAll(provider.openStreamDecoder(), bytes, chunk);
      validateStream(events);
      const collector = openCollector();
      for (const event of events) collector.push(event);
      expect(arbitrary.bare(collector.response())).toEqual(arbitrary.bare(answer));
    }),
  );
});

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
