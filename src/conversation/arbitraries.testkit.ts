/** Conversations and answers for property tests. */
import * as fc from "fast-check";
import type {
  DocumentPart,
  ImagePart,
  Part,
  ReasoningPart,
  TextPart,
  ToolCallPart,
  ToolResultPart,
  Vendor,
} from "./parts.ts";
import type { ConversationRequest, FunctionTool, Message } from "./request.ts";
import type { Candidate, ConversationResponse, FinishReason, TokenLogprob } from "./response.ts";
import type { StreamEvent } from "./stream.ts";
import { addQuantity, type MutableQuantities } from "../dimensions.ts";
import { isObject } from "../json/values.ts";
import type { ReportedUsage } from "./usage.ts";

/** Text that is not blank; every dialect carries it. Surrogates stand in pairs. */
export const text: fc.Arbitrary<string> = fc
  .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
  .filter((value) => value.trim() === value && value !== "" && value.isWellFormed());

export const name: fc.Arbitrary<string> = fc.stringMatching(/^[a-zA-Z][a-zA-Z0-9_-]{0,20}$/);
const base64: fc.Arbitrary<string> = fc
  .uint8Array({ minLength: 1, maxLength: 20 })
  .map((bytes) => Buffer.from(bytes).toString("base64"));

export const textPart: fc.Arbitrary<TextPart> = text.map((value) => ({ type: "text", text: value }));

export const imagePart: fc.Arbitrary<ImagePart> = fc.oneof(
  fc
    .record({ mediaType: fc.constantFrom("image/png", "image/jpeg"), base64 })
    .map((source): ImagePart => ({ type: "image", source: { type: "data", ...source } })),
  fc.webUrl().map((url): ImagePart => ({ type: "image", source: { type: "url", url } })),
);

export const pdfPart: fc.Arbitrary<DocumentPart> = fc
  .record({ base64, title: name })
  .map(({ base64, title }): DocumentPart => ({
    type: "document",
    source: { type: "data", mediaType: "application/pdf", base64 },
    title: `${title}.pdf`,
  }));

/** JSON text of an object, as `JSON.stringify` writes it. */
export const toolInput: fc.Arbitrary<string> = fc
  .dictionary(name, fc.jsonValue({ maxDepth: 2 }), { maxKeys: 3 })
  // JSON has one zero.
  .map((value) => JSON.stringify(JSON.parse(JSON.stringify(value))));

/** Reasoning with a signature of this vendor. */
export function signedReasoning(vendor: Vendor): fc.Arbitrary<ReasoningPart> {
  return fc.oneof(
    fc
      .record({ text, value: base64 })
      .map(({ text, value }): ReasoningPart => ({ type: "reasoning", text, signature: { vendor, value } })),
    base64.map((value): ReasoningPart => ({
      type: "reasoning",
      text: "",
      signature: { vendor, value },
      redacted: true,
    })),
  );
}

export const functionTool: fc.Arbitrary<FunctionTool> = fc
  .record({ name, description: text })
  .map(({ name, description }): FunctionTool => ({
    type: "function",
    name,
    description,
    parameters: { type: "object", properties: { value: { type: "string" } } },
  }));

/** The content that a dialect's messages can hold. */
export interface ConversationShape {
  readonly instructions: "system" | "developer";
  readonly userPart: fc.Arbitrary<Part>;
  readonly resultPart: fc.Arbitrary<ToolResultPart["parts"][number]>;
  /** Reasoning at the beginning of an assistant's turn; null if history holds none. */
  readonly reasoning: fc.Arbitrary<ReasoningPart> | null;
  /** Whether a failed result is marked. */
  readonly errors: boolean;
}

/** A conversation that ends with a user message or with tool results, which every dialect accepts. */
export function conversation(shape: ConversationShape): fc.Arbitrary<readonly Message[]> {
  const user = fc
    .array(shape.userPart, { minLength: 1, maxLength: 3 })
    .map((parts): Message => ({ role: "user", parts: joinTexts(parts) }));
  const round = fc.record({
    user,
    reasoning: shape.reasoning === null ? fc.constant([]) : fc.array(shape.reasoning, { maxLength: 1 }),
    reply: fc.option(textPart, { nil: null }),
    calls: fc.array(fc.record({ name, input: toolInput }), { maxLength: 3 }),
    results: fc.array(fc.array(shape.resultPart, { minLength: 1, maxLength: 2 }), { minLength: 3, maxLength: 3 }),
    failed: shape.errors ? fc.boolean() : fc.constant(false),
  });
  const instructions = fc.option(textPart, { nil: null });
  return fc.tuple(instructions, fc.array(round, { maxLength: 3 }), user).map(([instruction, rounds, last]) => {
    const messages: Message[] = [];
    if (instruction !== null) messages.push({ role: shape.instructions, parts: [instruction] });
    rounds.forEach(({ user, reasoning, reply, calls, results, failed }, number) => {
      messages.push(user);
      const made = calls.map((call, index): ToolCallPart => ({
        type: "tool-call",
        kind: "function",
        id: `call_${number}_${index}`,
        ...call,
      }));
      const words = reply === null && made.length > 0 ? [] : [reply ?? { type: "text" as const, text: "…" }];
      messages.push({ role: "assistant", parts: [...reasoning, ...words, ...made] });
      if (made.length === 0) return;
      const answered = made.map(({ id }, index): ToolResultPart => ({
        type: "tool-result",
        callId: id,
        parts: joinTexts(results[index] ?? []),
        ...(failed ? { isError: true } : {}),
      }));
      messages.push({ role: "tool", parts: answered });
      messages.push({ role: "assistant", parts: [...reasoning, { type: "text", text: "Done." }] });
    });
    return [...messages, last];
  });
}

/** At most one text: dialects that write a single text as a string would merge two. */
function joinTexts<P extends Part>(parts: readonly P[]): P[] {
  let seen = false;
  return parts.filter((part) => {
    if (part.type !== "text") return true;
    const first = !seen;
    seen = true;
    return first;
  });
}

const count = fc.integer({ min: 0, max: 100_000 });

/** Usage that a dialect without cache misses carries. `writes` names the kinds of cache writes that it distinguishes. */
export function reportedUsage(writes: "none" | "plain" | "split"): fc.Arbitrary<ReportedUsage> {
  return fc
    .record({ input: count, cacheRead: count, write: count, write1h: count, output: count, reasoning: count })
    .map(({ input, cacheRead, write, write1h, output, reasoning }): ReportedUsage => {
      const quantities: MutableQuantities = { input, output: output + reasoning };
      addQuantity(quantities, "cache_read", cacheRead);
      if (writes === "plain") addQuantity(quantities, "cache_write", write);
      if (writes === "split") addQuantity(quantities, "cache_write_5m", write);
      if (writes === "split") addQuantity(quantities, "cache_write_1h", write1h);
      return { quantities, input: "final", output: "final", reasoning, raw: {} };
    });
}

/** An answer of one candidate: reasoning, text, tool calls in this order. */
export function response(
  reasoning: fc.Arbitrary<ReasoningPart>,
  usage: fc.Arbitrary<ReportedUsage>,
): fc.Arbitrary<ConversationResponse> {
  const calls = fc.array(fc.record({ name, input: toolInput }), { maxLength: 3 });
  return fc
    .record({
      id: name,
      model: name,
      usage,
      reasoning: fc.array(reasoning, { maxLength: 1 }),
      reply: fc.array(textPart, { maxLength: 1 }),
      calls,
      cut: fc.boolean(),
    })
    .map(({ id, model, usage, reasoning, reply, calls, cut }) => {
      const made = calls.map((call, index): ToolCallPart => ({
        type: "tool-call",
        kind: "function",
        id: `call_${index}`,
        ...call,
      }));
      const candidate: Candidate = {
        parts: [...reasoning, ...reply, ...made],
        finish: { reason: cut ? "length" : made.length > 0 ? "tool-calls" : "stop" },
      };
      return { id, model, created: 1_700_000_000, candidates: [candidate], usage };
    });
}

const vendor: fc.Arbitrary<Vendor> = fc.constantFrom("openai", "anthropic", "google");
const signature = fc.option(fc.record({ vendor, value: base64 }), { nil: undefined });

const citation = fc.record(
  { url: fc.webUrl(), title: text, citedText: text, start: fc.constant(0), end: fc.constant(1) },
  { requiredKeys: [] },
);

const answerPart: fc.Arbitrary<Part> = fc.oneof(
  fc
    .record({ text, signature, citations: fc.option(fc.array(citation, { maxLength: 2 }), { nil: undefined }) })
    .map((part): Part => ({ type: "text", ...part })),
  text.map((words): Part => ({ type: "refusal", text: words })),
  vendor.chain(signedReasoning),
  text.map((words): Part => ({ type: "reasoning", text: words })),
  fc
    .record({ name, input: toolInput, signature, id: fc.oneof(name, text) })
    .map((call): Part => ({ type: "tool-call", kind: "function", ...call })),
  fc.record({ name, input: text, id: name }).map((call): Part => ({ type: "tool-call", kind: "custom", ...call })),
  imagePart,
);

const tokenLogprob: fc.Arbitrary<TokenLogprob> = fc.record(
  {
    token: text,
    logprob: fc.double({ max: 0, noNaN: true, noDefaultInfinity: true }),
    bytes: fc.constantFrom(null, [104, 105]),
    top: fc.constant([{ token: "a", logprob: -1 }]),
  },
  { requiredKeys: ["token", "logprob"] },
);

const finishReason = fc.constantFrom<FinishReason>(
  "stop",
  "length",
  "context-length",
  "tool-calls",
  "content-filter",
  "refusal",
  "pause",
);

/** An answer with any parts in any order, as some provider may send: ids of any form, fields that are absent. */
export const anyAnswer: fc.Arbitrary<ConversationResponse> = fc.record({
  id: fc.option(fc.oneof(name, fc.constantFrom("msg_1", "resp_1", "chatcmpl-1")), { nil: null }),
  model: fc.option(name, { nil: null }),
  created: fc.constantFrom(null, 1_700_000_000),
  usage: fc.option(reportedUsage("split"), { nil: null }),
  serviceTier: fc.constantFrom(undefined, "default", "standard", "priority"),
  candidates: fc
    .record({
      parts: fc.array(answerPart, { maxLength: 5 }),
      finish: fc.record(
        { reason: finishReason, stopSequence: text, explanation: text, category: name },
        { requiredKeys: ["reason"] },
      ),
      logprobs: fc.option(fc.array(tokenLogprob, { minLength: 1, maxLength: 2 }), { nil: undefined }),
    })
    .map((candidate) => [candidate]),
});

const foundPage = fc.record({
  url: fc.webUrl(),
  title: text,
  snippet: text,
  publishedAt: fc.constantFrom(null, "2026-11-22T00:00:00Z"),
});

/** A search of the gateway's within an answer, and a text that may cite what it has found. */
const searchParts = fc
  .record({ query: text, pages: fc.array(foundPage, { maxLength: 3 }), said: text })
  .chain((search) => {
    const { query, pages, said } = search;
    const failed = fc
      .constantFrom("unavailable", "invalid_query", "max_uses_exceeded")
      .map((error) => ({ error }) as const);
    const citations = pages.map(({ url, title, snippet: citedText }) => ({ url, title, citedText, start: 0, end: 0 }));
    return fc.oneof(fc.constant({ pages }), failed).map((outcome): readonly Part[] => [
      { type: "web-search", id: "", query, outcome },
      { type: "text", text: said, ...("pages" in outcome && citations.length > 0 && { citations }) },
    ]);
  });

/** An answer whose model has searched by the gateway, once or several times. */
export const searchingAnswer: fc.Arbitrary<ConversationResponse> = fc
  .tuple(anyAnswer, fc.array(searchParts, { minLength: 1, maxLength: 3 }))
  .map(([answer, searches]) => {
    const numbered = searches.flatMap((parts, number) =>
      parts.map((part) => (part.type === "web-search" ? { ...part, id: `a${number}` } : part)),
    );
    return {
      ...answer,
      candidates: answer.candidates.map((candidate) => ({ ...candidate, parts: [...numbered, ...candidate.parts] })),
    };
  });

/** The same stream with its text and input cut into pieces of at most `size` characters, never within a surrogate pair. */
export function inPieces(events: readonly StreamEvent[], size: number): StreamEvent[] {
  return events.flatMap((event): StreamEvent[] => {
    if (event.type === "text-delta") return pieces(event.text, size).map((text) => ({ ...event, text }));
    if (event.type === "input-delta") return pieces(event.input, size).map((input) => ({ ...event, input }));
    return [event];
  });
}

function pieces(whole: string, size: number): string[] {
  const points = Array.from(whole);
  const found: string[] = [];
  for (let at = 0; at < points.length; at += size) found.push(points.slice(at, at + size).join(""));
  return found;
}

/** A request or an answer without what is its dialect's: paths, spelling, raw usage, fields that say nothing. */
export function bare(value: unknown): unknown {
  const left = new Set(["path", "spelling", "raw", "followsAssistant"]);
  const without = (key: string, inner: unknown) => {
    if (left.has(key)) return undefined;
    // The answer names its service tier itself.
    return key === "usage" && isObject(inner) ? { ...inner, serviceTier: undefined } : inner;
  };
  return JSON.parse(JSON.stringify(value, without));
}

/** A request of these messages and settings. */
export function requestOf(
  messages: readonly Message[],
  settings: Partial<ConversationRequest> = {},
): ConversationRequest {
  return { model: "any", stream: false, messages, spelling: {}, ...settings };
}
