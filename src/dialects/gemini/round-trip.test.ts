import { expect, test } from "bun:test";
import * as fc from "fast-check";
import * as arbitrary from "../../conversation/arbitraries.testkit.ts";
import { eventsOf } from "../../conversation/events-of.ts";
import type { DocumentPart, ToolResultContent, VideoPart } from "../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../conversation/request.ts";
import { reviewRequest } from "../../conversation/fields/support.ts";
import { testAnswers, testStreams } from "../round-trip.testkit.ts";
import { encodeAll } from "../stream-bytes.testkit.ts";
import { geminiArrayCodec, geminiCodec } from "./codec.ts";

const { caller, provider } = geminiCodec;
const context = { callerBody: {}, model: "m", fallbackId: "1", created: 1, estimatedInputTokens: 1 };

const image = arbitrary.imagePart.filter((part) => part.source.type === "data");
const pdf = arbitrary.pdfPart.map(({ source }): DocumentPart => ({ type: "document", source }));
const textFile = arbitrary.text.map((text): DocumentPart => ({ type: "document", source: { type: "text", text } }));
const film: fc.Arbitrary<VideoPart> = fc.constant({
  type: "video",
  source: {
    type: "file",
    vendor: "google",
    id: "https://generativelanguage.googleapis.com/v1beta/files/a",
    mediaType: "video/mp4",
  },
});

const messages = arbitrary
  .conversation({
    instructions: "system",
    userPart: fc.oneof(arbitrary.textPart, image, pdf, textFile, film),
    resultPart: fc.oneof(arbitrary.textPart, image, pdf),
    reasoning: arbitrary.signedReasoning("google"),
    errors: false,
  })
  .map(textFirst);

const settings = fc.record(
  {
    tools: fc.array(arbitrary.functionTool, { minLength: 1, maxLength: 3 }),
    toolChoice: fc.constantFrom(
      { type: "auto" },
      { type: "none" },
      { type: "required" },
      { type: "tool", kind: "function", name: "f" },
      { type: "allowed", mode: "required", names: ["f", "g"] },
      { type: "allowed", mode: "auto", names: ["f"] },
    ),
    responseFormat: fc.constantFrom(
      { type: "json" },
      { type: "schema", schema: { type: "object", properties: { a: { type: ["string", "null"] } } } },
    ),
    reasoning: fc.constantFrom({ effort: "low" }, { effort: "high", summary: "auto" }, { summary: "auto" }),
    maxOutputTokens: fc.integer({ min: 1, max: 9_999 }),
    temperature: fc.constantFrom(0, 0.5, 2),
    topP: fc.constantFrom(0, 0.5, 1),
    topK: fc.integer({ min: 1, max: 100 }),
    presencePenalty: fc.constantFrom(-1, 0.5),
    frequencyPenalty: fc.constantFrom(-1, 0.5),
    seed: fc.integer(),
    stop: fc.array(arbitrary.text, { minLength: 1, maxLength: 5 }),
    candidateCount: fc.integer({ min: 2, max: 8 }),
    logprobs: fc.constant(true),
    topLogprobs: fc.integer({ min: 1, max: 20 }),
    modalities: fc.constant(["text", "image"]),
    serviceTier: fc.constantFrom("standard", "flex", "priority"),
    vendorFields: fc.constant({
      "google.safetySettings": [{ category: "HARM_CATEGORY_HARASSMENT", threshold: "BLOCK_ONLY_HIGH" }],
      "google.cachedContent": "cachedContents/a",
      "google.labels": { team_name: "a" },
      "google.store": true,
      "google.speechConfig": { voiceConfig: {} },
      "google.mediaResolution": "MEDIA_RESOLUTION_LOW",
      "google.imageConfig": { aspectRatio: "1:1" },
      "google.generationOptions": { audioTimestamp: true },
      "google.toolOptions": { retrievalConfig: { languageCode: "de" } },
    }),
    stream: fc.boolean(),
  },
  { requiredKeys: ["tools"] },
) as fc.Arbitrary<object>;

const models = fc.constantFrom("gemini-3-flash", "gemini-3-pro-preview", "models/gemini-4");

test("a request encoded and decoded again is the same request", () => {
  fc.assert(
    fc.property(messages, settings, models, (conversation, chosen, model) => {
      const request = arbitrary.requestOf(conversation, chosen);
      expect(reviewRequest(request, provider.support(model))).toEqual({ refusal: null, warnings: [] });
      const { path, body, warnings } = provider.encodeRequest(request, { model, maxOutputTokens: null });
      expect(warnings).toEqual([]);
      const address = { model: "models/any", stream: path.includes(":streamGenerateContent?alt=sse") };
      const decoded = caller.decodeRequest(JSON.parse(JSON.stringify(body)), address);
      expect(arbitrary.bare(withoutNames(decoded))).toEqual(arbitrary.bare(request));
    }),
  );
});

/** Results say their tool's name here, which the neutral form may leave out. */
function withoutNames({ messages, ...rest }: ConversationRequest): unknown {
  const bared = messages.map(({ parts, ...message }) => ({
    ...message,
    parts: parts.map((part) => (part.type === "tool-result" ? { ...part, name: undefined } : part)),
  }));
  return { ...rest, messages: bared };
}

/** A result's text has a place of its own here, before all else. */
function textFirst(messages: readonly Message[]): readonly Message[] {
  const rank = ({ type }: ToolResultContent) => (type === "text" ? 0 : 1);
  return messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) =>
      part.type === "tool-result"
        ? { ...part, parts: part.parts.toSorted((one, other) => rank(one) - rank(other)) }
        : part,
    ),
  }));
}

test("the same body in snake_case is the same request", () => {
  fc.assert(
    fc.property(messages, settings, (conversation, chosen) => {
      const request = arbitrary.requestOf(conversation, chosen);
      const { body } = provider.encodeRequest(request, { model: "gemini-3-flash", maxOutputTokens: null });
      const address = { model: "any", stream: request.stream };
      const camel = caller.decodeRequest(JSON.parse(JSON.stringify(body)), address);
      const snake = caller.decodeRequest(snakeCased(JSON.parse(JSON.stringify(body))) as never, address);
      expect(arbitrary.bare(snake)).toEqual(arbitrary.bare(camel));
    }),
  );
});

/** Names of the dialect in snake_case; what lies within values of the caller's own stays as it is. */
function snakeCased(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(snakeCased);
  if (typeof value !== "object" || value === null) return value;
  const opaque =
    /^(args|response|parametersJsonSchema|responseJsonSchema|labels|safetySettings|speechConfig|imageConfig|retrievalConfig|audioTimestamp)$/;
  return Object.fromEntries(
    Object.entries(value).map(([name, inner]) => {
      if (name === "audioTimestamp") return [name, inner];
      const snake = name === "retrievalConfig" ? name : name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
      return [snake, opaque.test(name) ? inner : snakeCased(inner)];
    }),
  );
}

const anyReasoning = fc.oneof(
  arbitrary.signedReasoning("google"),
  arbitrary.text.map((text) => ({ type: "reasoning" as const, text })),
);
const response = arbitrary.response(anyReasoning, arbitrary.reportedUsage("none"));

testAnswers(geminiCodec, context, response);

testStreams(geminiCodec, context, response);

test("a stream without alt=sse is one JSON array of the same answer", () => {
  fc.assert(
    fc.property(response, fc.integer({ min: 1, max: 9 }), (answer, size) => {
      const bytes = encodeAll(
        geminiArrayCodec.caller.openStreamEncoder(context),
        arbitrary.inPieces(eventsOf(answer), size),
      );
      const chunks: unknown = JSON.parse(new TextDecoder().decode(bytes));
      expect(arbitrary.bare(provider.decodeResponse(chunks))).toEqual(arbitrary.bare(answer));
    }),
  );
});

test("reasoning of any vendor survives a tool loop through a caller of this dialect, whole and chunk by chunk", () => {
  const foreign = fc.oneof(
    arbitrary.signedReasoning("openai").map((part) => ({ ...part, id: "rs_1" })),
    arbitrary.signedReasoning("anthropic"),
  );
  fc.assert(
    fc.property(
      arbitrary.response(foreign, arbitrary.reportedUsage("none")),
      fc.integer({ min: 1, max: 5 }),
      (answer, size) => {
        const parts = answer.candidates[0]?.parts ?? [];
        const { candidates } = JSON.parse(JSON.stringify(caller.encodeResponse(answer, context))) as Chunk;
        expect(arbitrary.bare(echoed(candidates.map((candidate) => candidate.content)))).toEqual(arbitrary.bare(parts));

        const bytes = encodeAll(
          geminiArrayCodec.caller.openStreamEncoder(context),
          arbitrary.inPieces(eventsOf(answer), size),
        );
        const chunks = JSON.parse(new TextDecoder().decode(bytes)) as Chunk[];
        const contents = chunks.flatMap((chunk) => chunk.candidates.map((candidate) => candidate.content));
        expect(arbitrary.bare(echoed(contents))).toEqual(arbitrary.bare(parts));
      },
    ),
  );
});

interface Chunk {
  readonly candidates: readonly { readonly content: unknown }[];
}

/** The parts of a model's turn as a client library hands it back. */
function echoed(contents: readonly unknown[]): unknown {
  const body = { contents: [...contents, { role: "user", parts: [{ text: "Go on." }] }] };
  return caller.decodeRequest(body, { model: "m" }).messages[0]?.parts;
}
