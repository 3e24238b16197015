import { describe, expect, test } from "bun:test";
import { requestOf } from "../../../conversation/arbitraries.testkit.ts";
import type { Part, ToolResultContent } from "../../../conversation/parts.ts";
import type { ConversationRequest, Message } from "../../../conversation/request.ts";
import { GatewayError } from "../../../errors.ts";
import { encodeGeminiRequest } from "./encode-request.ts";

const encode = (messages: readonly Message[], settings: Partial<ConversationRequest> = {}, model = "gemini-3-flash") =>
  JSON.parse(JSON.stringify(encodeGeminiRequest(requestOf(messages, settings), { model, maxOutputTokens: null }))) as {
    path: string;
    body: { contents: { role: string; parts: Record<string, unknown>[] }[] } & Record<string, unknown>;
    warnings: string[];
  };

const says = (role: Message["role"], ...texts: string[]): Message => ({
  role,
  parts: texts.map((text) => ({ type: "text", text })),
});
const call = (id: string, name: string, more: object = {}): Part => ({
  type: "tool-call",
  kind: "function",
  id,
  name,
  input: '{"n":1}',
  ...more,
});
const result = (callId: string, ...parts: ToolResultContent[]): Part => ({ type: "tool-result", callId, parts });
const text = (value: string) => ({ type: "text" as const, text: value });
const png = { type: "image" as const, source: { type: "data" as const, mediaType: "image/png", base64: "AAAA" } };

describe("the address", () => {
  test("names the model and how it answers", () => {
    expect(encode([says("user", "a")]).path).toBe("/v1beta/models/gemini-3-flash:generateContent");
    expect(encode([says("user", "a")], { stream: true }, "models/gemini-3-flash").path).toBe(
      "/v1beta/models/gemini-3-flash:streamGenerateContent?alt=sse",
    );
    expect(encode([says("user", "a")], {}, "tunedModels/a b").path).toBe("/v1beta/tunedModels/a%20b:generateContent");
  });
});

describe("turns", () => {
  test("adjacent messages of one role are merged, instructions are separate wherever they were", () => {
    const { body } = encode([
      says("system", "Be kind."),
      says("user", "a"),
      says("developer", "Be short."),
      says("user", "b"),
      says("assistant", "c"),
      says("assistant", "d"),
    ]);
    expect(body).toEqual({
      systemInstruction: { parts: [{ text: "Be kind." }, { text: "Be short." }] },
      contents: [
        { role: "user", parts: [{ text: "a" }, { text: "b" }] },
        { role: "model", parts: [{ text: "c" }, { text: "d" }] },
      ],
    });
  });

  test("instructions alone are sent as a user message, as contents are required", () => {
    expect(encode([says("system", "Say hello.")]).body).toEqual({
      contents: [{ role: "user", parts: [{ text: "Say hello." }] }],
    });
  });

  test("empty text and empty messages are left out", () => {
    const { body } = encode([says("user", "a", ""), says("assistant", ""), says("user", "b")]);
    expect(body.contents.map(({ parts }) => parts)).toEqual([[{ text: "a" }], [{ text: "b" }]]);
  });
});

describe("tool loops", () => {
  const loop = (...results: Part[]): Message[] => [
    says("user", "Look."),
    { role: "assistant", parts: [call("c1", "find"), call("c2", "read")] },
    { role: "tool", parts: results },
    says("user", "Well?"),
  ];

  test("results are one separate message, in the order of the calls, with their names", () => {
    const { contents } = encode(loop(result("c2", text("two")), result("c1", text("one")))).body;
    expect(contents.slice(2)).toEqual([
      {
        role: "user",
        parts: [
          { functionResponse: { id: "c1", name: "find", response: { output: "one" } } },
          { functionResponse: { id: "c2", name: "read", response: { output: "two" } } },
        ],
      },
      { role: "user", parts: [{ text: "Well?" }] },
    ]);
  });

  test("results split over several messages are joined", () => {
    const split: Message[] = [
      ...loop(result("c1", text("one"))).slice(0, 3),
      { role: "tool", parts: [result("c2", text("two"))] },
    ];
    expect(encode(split).body.contents.map(({ parts }) => parts.length)).toEqual([1, 2, 2]);
  });

  test("a failed result is marked, and one with $ref in its text stays text", () => {
    const failed: Part = { type: "tool-result", callId: "c1", parts: [text("No such file.")], isError: true };
    const { contents } = encode(loop(failed, result("c2", text('{"$ref":"#/a"}')))).body;
    expect(contents[2]?.parts.map((part) => (part.functionResponse as { response: unknown }).response)).toEqual([
      { error: "No such file." },
      { output: '{"$ref":"#/a"}' },
    ]);
  });

  test("a result that answers no call is refused by its path", () => {
    const stray: Part = { type: "tool-result", callId: "c9", parts: [], path: "messages[2]" };
    expect(() => encode(loop(stray))).toThrow("messages[2]");
  });

  test("media are within the response, or for older models in a message after it", () => {
    const results = [result("c1", text("See."), png), result("c2", text("two"))];
    const inlineData = { mimeType: "image/png", data: "AAAA" };
    const newer = encode(loop(...results)).body.contents;
    expect(newer[2]?.parts[0]).toEqual({
      functionResponse: { id: "c1", name: "find", response: { output: "See." }, parts: [{ inlineData }] },
    });
    const older = encode(loop(...results), {}, "gemini-2.5-flash").body.contents;
    expect(older[2]?.parts[0]).toEqual({ functionResponse: { id: "c1", name: "find", response: { output: "See." } } });
    expect(older[3]).toEqual({ role: "user", parts: [{ text: "From the result of tool call c1:" }, { inlineData }] });
  });

  const google = (value: string) => ({ signature: { vendor: "google" as const, value } });
  const signaturesOf = (parts: Part[], model?: string) =>
    encode([says("user", "a"), { role: "assistant", parts }], {}, model).body.contents[1]?.parts.map(
      (part) => part.thoughtSignature,
    );

  test("signatures are sent back at their place", () => {
    const parts = [{ ...text("So."), ...google("s1") }, call("c1", "find", google("s2")), call("c2", "read")];
    expect(signaturesOf(parts)).toEqual(["s1", "s2", undefined]);
  });

  test("the first call of a message without a known signature gets the documented placeholder, for models that need one", () => {
    const foreign = { signature: { vendor: "anthropic", value: "s" } };
    const parts = [text("So."), call("c1", "find", foreign), call("c2", "read")];
    expect(signaturesOf(parts)).toEqual([undefined, "skip_thought_signature_validator", undefined]);
    expect(signaturesOf(parts, "gemini-2.5-pro")).toEqual([undefined, undefined, undefined]);
  });

  test("reasoning of Google or without a vendor is sent back, another vendor's is not", () => {
    const reasoning = (words: string, vendor?: "google" | "anthropic"): Part => ({
      type: "reasoning",
      text: words,
      signature: vendor === undefined ? undefined : { vendor, value: "s" },
    });
    const parts = [reasoning("a"), reasoning("b", "google"), reasoning("", "google"), reasoning("c", "anthropic")];
    expect(encode([says("user", "a"), { role: "assistant", parts }]).body.contents[1]?.parts).toEqual([
      { text: "a", thought: true },
      { text: "b", thought: true, thoughtSignature: "s" },
      { text: "", thought: true, thoughtSignature: "s" },
    ]);
  });

  test("arguments that are no JSON object are refused by their path", () => {
    const parts = [call("c1", "find", { input: '{"n":', path: "messages[1].tool_calls[0]" })];
    expect(() => encode([says("user", "a"), { role: "assistant", parts }])).toThrow("messages[1].tool_calls[0]");
  });
});

describe("media", () => {
  const user = (part: Part): Message[] => [{ role: "user", parts: [part] }];

  test("documents keep their names and descriptions as text", () => {
    const source = { type: "data", mediaType: "application/pdf", base64: "AAAA" } as const;
    const { contents } = encode(user({ type: "document", source, title: "a.pdf", context: "A letter." })).body;
    expect(contents[0]?.parts).toEqual([
      { text: "a.pdf" },
      { text: "A letter." },
      { inlineData: { mimeType: "application/pdf", data: "AAAA" } },
    ]);
  });

  test("a URL that was not fetched is refused, except YouTube's", () => {
    const image = (url: string): Part => ({ type: "image", source: { type: "url", url }, path: "here" });
    expect(() => encode(user(image("https://example.com/a.png")))).toThrow(GatewayError);
    expect(() => encode(user(image("https://example.com/youtube.com/")))).toThrow(GatewayError);
    const film: Part = { type: "video", source: { type: "url", url: "https://youtu.be/a" } };
    expect(encode(user(film)).body.contents[0]?.parts).toEqual([{ fileData: { fileUri: "https://youtu.be/a" } }]);
  });
});

describe("tools and formats", () => {
  const tool = (name: string, more: object = {}) => ({ type: "function" as const, name, ...more });
  const hello = [says("user", "a")];

  test("all functions are in one entry with their full schemas, Google's own tools beside it", () => {
    const parameters = { type: "object", properties: { kind: { const: "a" } }, additionalProperties: false };
    const { body } = encode(hello, {
      tools: [
        tool("f", { parameters, description: "F." }),
        { type: "native", vendor: "google", value: { googleSearch: {} } },
        tool("g"),
      ],
    });
    const schema = { ...parameters, properties: { kind: { type: "string", enum: ["a"] } } };
    expect(body.tools).toEqual([
      { functionDeclarations: [{ name: "f", description: "F.", parametersJsonSchema: schema }, { name: "g" }] },
      { googleSearch: {} },
    ]);
    expect(body.toolConfig).toBeUndefined();
  });

  test("strict tools set the calling mode that enforces schemas", () => {
    const modeOf = (settings: Partial<ConversationRequest>) =>
      (encode(hello, settings).body.toolConfig as { functionCallingConfig: unknown } | undefined)
        ?.functionCallingConfig;
    const tools = [tool("f"), tool("g", { strict: true })];
    expect(modeOf({ tools })).toEqual({ mode: "VALIDATED" });
    expect(modeOf({ tools, toolChoice: { type: "auto" } })).toEqual({ mode: "VALIDATED" });
    expect(modeOf({ tools, toolChoice: { type: "required" } })).toEqual({ mode: "ANY" });
    expect(modeOf({ tools, toolChoice: { type: "none" } })).toEqual({ mode: "NONE" });
    expect(modeOf({ tools: [tool("f", { strict: false })] })).toBeUndefined();
    expect(modeOf({ toolChoice: { type: "required" } })).toBeUndefined();
  });

  test("a schema for the answer, with its description", () => {
    const { body } = encode(hello, {
      responseFormat: { type: "schema", schema: { type: "object" }, name: "n", description: "D.", strict: true },
    });
    expect(body.generationConfig).toEqual({
      responseMimeType: "application/json",
      responseJsonSchema: { type: "object", description: "D." },
    });
  });

  test("five stop sequences are the maximum", () => {
    const stop = ["a", "b", "c", "d", "e"];
    expect(encode(hello, { stop }).body.generationConfig).toEqual({ stopSequences: stop });
    expect(() => encode(hello, { stop: [...stop, "f"], spelling: { stop: "stop" } })).toThrow(/at most 5 .*'stop'/);
  });

  test("service tiers that Google lacks are named in a warning", () => {
    const tier = (serviceTier: ConversationRequest["serviceTier"]) => {
      const { body, warnings } = encode(hello, { serviceTier, spelling: { serviceTier: "service_tier" } });
      return [body.serviceTier, warnings];
    };
    expect(tier("flex")).toEqual(["flex", []]);
    expect(tier("auto")).toEqual([undefined, []]);
    expect(tier("scale")).toEqual([undefined, ["service_tier"]]);
  });
});
