import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { z } from "zod";
import { anyAnswer, searchingAnswer } from "../conversation/arbitraries.testkit.ts";
import { eventsOf } from "../conversation/events-of.ts";
import type { ConversationResponse } from "../conversation/response.ts";
import { isObject, type JsonObject } from "../json/values.ts";
import type { AnswerContext, CallerCodec } from "./codec.ts";
import { codecs } from "./codecs.testkit.ts";
import published from "./openai-schemas.testkit.json" with { type: "json" };

/** Every answer that the gateway writes, whole or streamed, is one that the vendors' published schemas describe. */

const givenAnswer = fc.oneof(anyAnswer, searchingAnswer);

const callerBody = {
  model: "m",
  stream_options: { include_usage: true },
  tools: [
    { type: "function", name: "bare" },
    { type: "function", name: "full", description: "All.", parameters: { type: "object" }, strict: true },
    { type: "custom", name: "free" },
  ],
  max_output_tokens: null,
  reasoning: { effort: "high" },
};

const context: AnswerContext = {
  callerBody,
  model: "any-model",
  fallbackId: "01jabc",
  created: 1_700_000_000,
  estimatedInputTokens: 7,
};

function streamed(caller: CallerCodec, answer: ConversationResponse): JsonObject[] {
  const encoder = caller.openStreamEncoder(context);
  const text = eventsOf(answer)
    .map((event) => encoder.push(event))
    .join("");
  return (text + encoder.terminator())
    .split("\n\n")
    .flatMap((event) => /^data: ([^\n]*)$/m.exec(event)?.[1] ?? [])
    .filter((data) => data !== "[DONE]")
    .map((data) => {
      const event: unknown = JSON.parse(data);
      return isObject(event) ? event : {};
    });
}

/** The answer as it stands on the wire: members without a value are gone. */
const whole = (caller: CallerCodec, answer: ConversationResponse): unknown =>
  JSON.parse(JSON.stringify(caller.encodeResponse(answer, context)));

const validators = new Map<string, z.ZodType>();

function problemsOf(schema: string, value: unknown): string[] {
  let validator = validators.get(schema);
  if (validator === undefined) {
    const root = { ...published, $ref: `#/$defs/${schema}` };
    validator = z.fromJSONSchema(root as Parameters<typeof z.fromJSONSchema>[0]);
    validators.set(schema, validator);
  }
  const { error } = validator.safeParse(value);
  return (error?.issues ?? []).map(({ path, message }) => `${schema} ${path.join(".")}: ${message}`);
}

/** The schema of a stream's event, by its type. */
const eventSchemas = new Map(
  Object.entries(published.$defs).flatMap(([name, schema]) => {
    const type = name.endsWith("Event") && "properties" in schema ? JSON.stringify(schema.properties) : "";
    const named = /"type":\{"type":"string","enum":\["(response\.[^"]+)"\]/.exec(type)?.[1];
    return named === undefined ? [] : [[named, name] as const];
  }),
);

describe("OpenAI's own schemas hold", () => {
  const chat = codecs["openai-chat"].caller;
  const responses = codecs["openai-responses"].caller;

  test("of whole chat completions", () => {
    fc.assert(
      fc.property(givenAnswer, (answer) => {
        expect(problemsOf("CreateChatCompletionResponse", whole(chat, answer))).toEqual([]);
      }),
    );
  });

  test("of chat completion chunks", () => {
    fc.assert(
      fc.property(givenAnswer, (answer) => {
        for (const chunk of streamed(chat, answer)) {
          expect(problemsOf("CreateChatCompletionStreamResponse", chunk)).toEqual([]);
        }
      }),
    );
  });

  test("of whole responses", () => {
    fc.assert(
      fc.property(givenAnswer, (answer) => {
        expect(problemsOf("Response", whole(responses, answer))).toEqual([]);
      }),
    );
  });

  test("of response events", () => {
    expect(eventSchemas.size).toBe(25);
    fc.assert(
      fc.property(givenAnswer, (answer) => {
        for (const event of streamed(responses, answer)) {
          const schema = eventSchemas.get(String(event.type));
          expect(schema ?? `no schema for ${String(event.type)}`).toEndWith("Event");
          expect(problemsOf(schema ?? "", event)).toEqual([]);
        }
      }),
      { numRuns: 50 },
    );
  });
});

/** Paths of all members that are null, list places left out. */
function nullsIn(value: unknown, path = ""): string[] {
  if (value === null) return [path];
  if (Array.isArray(value)) return value.flatMap((item) => nullsIn(item, path));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([name, member]) => nullsIn(member, path === "" ? name : `${path}.${name}`));
}

describe("absent values are left out, except if the vendor itself writes null", () => {
  const written = {
    "anthropic-messages": [
      "stop_sequence",
      "stop_details.category",
      "stop_details.explanation",
      "content.citations.title",
      "message.stop_reason",
      "message.stop_sequence",
      "delta.stop_sequence",
      "delta.stop_details.category",
      "delta.stop_details.explanation",
      "delta.citation.title",
      "content.content.page_age",
      "content_block.content.page_age",
    ],
    "openai-chat": [
      "choices.message.content",
      "choices.message.refusal",
      "choices.logprobs",
      "choices.logprobs.refusal",
      "choices.logprobs.content.bytes",
      "choices.logprobs.content.top_logprobs.bytes",
      "choices.delta.refusal",
      "choices.finish_reason",
      "usage",
    ],
    gemini: [],
  } as const;

  for (const dialect of ["anthropic-messages", "openai-chat", "gemini"] as const) {
    test(dialect, () => {
      const { caller } = codecs[dialect];
      const allowed: ReadonlySet<string> = new Set(written[dialect]);
      fc.assert(
        fc.property(givenAnswer, (answer) => {
          const values = [whole(caller, answer), ...streamed(caller, answer)];
          // Arguments are the model's own words.
          const own = values.map((value) => withoutArguments(value));
          expect(own.flatMap((value) => nullsIn(value)).filter((path) => !allowed.has(path))).toEqual([]);
        }),
      );
    });
  }
});

function withoutArguments(value: unknown): unknown {
  return JSON.parse(
    JSON.stringify(value, (name, member: unknown) => (name === "input" || name === "args" ? {} : member)),
  );
}

describe("an id has the form of its dialect", () => {
  const forms = { "openai-chat": "chatcmpl-", "openai-responses": "resp_", "anthropic-messages": "msg_" } as const;
  for (const [dialect, prefix] of Object.entries(forms)) {
    test(dialect, () => {
      const { caller } = codecs[dialect as keyof typeof forms];
      fc.assert(
        fc.property(givenAnswer, (answer) => {
          const id = caller.answerId(answer.id, context);
          expect(id).toStartWith(prefix);
          expect(whole(caller, answer)).toMatchObject({ id });
        }),
      );
    });
  }
});

test("Responses echo functions with all their members", () => {
  const answer = { id: null, model: null, created: null, usage: null, candidates: [] };
  expect(whole(codecs["openai-responses"].caller, answer)).toMatchObject({
    tools: [
      { type: "function", name: "bare", description: null, parameters: null, strict: null },
      { type: "function", name: "full", description: "All.", parameters: { type: "object" }, strict: true },
      { type: "custom", name: "free" },
    ],
  });
});
