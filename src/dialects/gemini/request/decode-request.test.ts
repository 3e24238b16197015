import { describe, expect, test } from "bun:test";
import { bare } from "../../../conversation/arbitraries.testkit.ts";
import { visitFields } from "../../../conversation/fields/used-fields.ts";
import { GatewayError } from "../../../errors.ts";
import type { JsonObject } from "../../../json/values.ts";
import { decodeGeminiRequest } from "./decode-request.ts";

const decode = (body: JsonObject) => decodeGeminiRequest(body, { model: "models/m", stream: true });
const messagesOf = (...contents: unknown[]) => bare(decode({ contents }).messages);
const partsOf = (...parts: unknown[]) => (messagesOf({ parts }) as { parts: unknown }[])[0]?.parts;
const go = { role: "user", parts: [{ text: "Go" }] };

function refusal(body: JsonObject): Pick<GatewayError, "code" | "param"> {
  try {
    decode(body);
  } catch (error) {
    if (error instanceof GatewayError) return { code: error.code, param: error.param };
  }
  throw new Error("It was not refused.");
}

describe("contents", () => {
  test("roles, their default, and one item in place of a list", () => {
    expect(messagesOf({ parts: { text: "Hi" } }, { role: "model", parts: [{ text: "Yes?" }] })).toEqual([
      { role: "user", parts: [{ type: "text", text: "Hi" }] },
      { role: "assistant", parts: [{ type: "text", text: "Yes?" }] },
    ]);
    expect(bare(decode({ contents: { parts: { text: "Hi" } } }).messages)).toEqual(
      messagesOf({ parts: { text: "Hi" } }) as never,
    );
  });

  test("instructions come first, in either spelling", () => {
    for (const name of ["systemInstruction", "system_instruction"]) {
      const { messages } = decode({ contents: [go], [name]: { role: "user", parts: [{ text: "Be kind." }] } });
      expect(messages[0]).toEqual({
        role: "system",
        path: name,
        parts: [{ type: "text", text: "Be kind.", path: `${name}.parts[0]` }],
      });
    }
  });

  test("media of every kind", () => {
    const uri = "https://generativelanguage.googleapis.com/v1beta/files/a";
    expect(
      partsOf(
        { inlineData: { mimeType: "image/PNG", data: "AAAA" } },
        { inline_data: { mime_type: "audio/wav", data: "AAAA" } },
        { inlineData: { mimeType: "application/pdf", data: "AAAA", displayName: "a.pdf" } },
        { inlineData: { mimeType: "text/plain", data: "SGk=" } },
        { fileData: { fileUri: uri, mimeType: "video/mp4" } },
        { fileData: { fileUri: "https://www.youtube.com/watch?v=1" } },
        { file_data: { file_uri: "https://example.com/a.jpg", mime_type: "image/jpeg" } },
        { fileData: { fileUri: "gs://bucket/a.pdf", mimeType: "application/pdf" } },
      ),
    ).toEqual([
      { type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" } },
      { type: "audio", source: { type: "data", mediaType: "audio/wav", base64: "AAAA" } },
      { type: "document", source: { type: "data", mediaType: "application/pdf", base64: "AAAA" }, title: "a.pdf" },
      { type: "document", source: { type: "text", text: "Hi" } },
      { type: "video", source: { type: "file", vendor: "google", id: uri, mediaType: "video/mp4" } },
      { type: "video", source: { type: "url", url: "https://www.youtube.com/watch?v=1" } },
      { type: "image", source: { type: "url", url: "https://example.com/a.jpg", mediaType: "image/jpeg" } },
      {
        type: "document",
        source: { type: "file", vendor: "google", id: "gs://bucket/a.pdf", mediaType: "application/pdf" },
      },
    ] as never);
  });

  test("thoughts, signatures, and parts only Google has", () => {
    const code = { executableCode: { language: "PYTHON", code: "1" }, thoughtSignature: "s" };
    expect(
      partsOf(
        { text: "Hm.", thought: true, thoughtSignature: "s1" },
        { text: "", thought: true, thoughtSignature: "s2" },
        { text: "So.", thought_signature: "s3" },
        { text: "" },
        code,
      ),
    ).toEqual([
      { type: "reasoning", text: "Hm.", signature: { vendor: "google", value: "s1" } },
      { type: "reasoning", text: "", redacted: true, signature: { vendor: "google", value: "s2" } },
      { type: "text", text: "So.", signature: { vendor: "google", value: "s3" } },
      { type: "native", vendor: "google", value: code },
    ]);
  });

  test("a streamed answer sent back chunk by chunk is one message", () => {
    const chunk = (...parts: unknown[]) => ({ role: "model", parts });
    expect(
      messagesOf(
        go,
        chunk({ text: "Let me ", thought: true }),
        chunk({ text: "think.", thought: true }),
        chunk({ text: "I'll " }),
        chunk({ text: "look." }),
        chunk({ text: "", thoughtSignature: "s" }),
        chunk({ functionCall: { name: "a", args: {} } }, { functionCall: { name: "b" } }),
        chunk({ text: "" }),
        go,
      ),
    ).toEqual([
      { role: "user", parts: [{ type: "text", text: "Go" }] },
      {
        role: "assistant",
        parts: [
          { type: "reasoning", text: "Let me think." },
          { type: "text", text: "I'll look.", signature: { vendor: "google", value: "s" } },
          { type: "tool-call", kind: "function", id: "call_1", name: "a", input: "{}" },
          { type: "tool-call", kind: "function", id: "call_2", name: "b", input: "{}" },
        ],
      },
      { role: "user", parts: [{ type: "text", text: "Go" }] },
    ]);
  });
});

describe("function responses", () => {
  const calls = {
    role: "model",
    parts: [{ functionCall: { name: "f", args: { n: 1 } } }, { functionCall: { name: "f", args: { n: 2 } } }],
  };
  const response = (value: unknown, more: object = {}) => ({
    functionResponse: { name: "f", response: value, ...more },
  });

  test("without ids they answer the calls of their name in order, and come before other content", () => {
    const parts = [{ text: "Here:" }, response({ output: "one" }), response({ result: "two" })];
    expect(messagesOf(go, calls, { role: "user", parts })).toMatchObject([
      { role: "user" },
      { role: "assistant" },
      {
        role: "tool",
        parts: [
          { callId: "call_1", name: "f", parts: [{ type: "text", text: "one" }] },
          { callId: "call_2", name: "f", parts: [{ type: "text", text: "two" }] },
        ],
      },
      { role: "user", parts: [{ type: "text", text: "Here:" }] },
    ]);
  });

  test("several contents of them become one message", () => {
    const messages = messagesOf(
      go,
      calls,
      { role: "function", parts: [response({ output: "1" })] },
      { parts: [response({ a: 2 })] },
    ) as {
      role: string;
      parts: { callId: string; parts: { text: string }[] }[];
    }[];
    expect(messages.map((message) => message.role)).toEqual(["user", "assistant", "tool"]);
    expect(messages[2]?.parts.map((part) => [part.callId, part.parts[0]?.text])).toEqual([
      ["call_1", "1"],
      ["call_2", '{"a":2}'],
    ]);
  });

  test("ids that are given are kept", () => {
    const parts = [{ functionCall: { id: "x1", name: "f" } }, { functionCall: { id: "x2", name: "f" } }];
    const { messages } = decode({
      contents: [go, { role: "model", parts }, { parts: [response({}, { id: "x2" }), response({}, { id: "x1" })] }],
    });
    expect(messages[2]?.parts.map((part) => part.type === "tool-result" && part.callId)).toEqual(["x2", "x1"]);
  });

  test("one without an id answers the oldest call of its name that has no response yet", () => {
    const parts = ["x1", "x2", "x3"].map((id) => ({ functionCall: { id, name: "f" } }));
    const responses = [response({}, { id: "x2" }), response({ a: 1 }), response({ a: 2 })];
    const { messages } = decode({ contents: [go, { role: "model", parts }, { parts: responses }] });
    expect(messages[2]?.parts.map((part) => part.type === "tool-result" && part.callId)).toEqual(["x2", "x1", "x3"]);
  });

  test("one that is repeated, as Gemini CLI does in a resumed session, is read once", () => {
    const parts = [{ functionCall: { id: "x1", name: "f" } }, { functionCall: { id: "x2", name: "f" } }];
    const given = [response({ output: "1" }, { id: "x1" }), response({ output: "1" }, { id: "x2" })];
    const contents = [go, { role: "model", parts }, { parts: given }, { parts: structuredClone(given) }];
    const { messages } = decode({ contents: [...contents, ...structuredClone(contents)] });
    const ids = messages.map((message) => message.parts.flatMap((part) => ("callId" in part ? [part.callId] : [])));
    expect(ids).toEqual([[], [], ["x1", "x2"], [], [], ["x1", "x2"]]);
  });

  test("media in a response", () => {
    const media = [{ inlineData: { mimeType: "image/png", data: "AAAA" } }];
    const { messages } = decode({
      contents: [go, calls, { parts: [response({ output: "" }, { parts: media }), response({})] }],
    });
    expect(bare(messages[2]?.parts[0])).toMatchObject({
      parts: [{ type: "image", source: { type: "data", mediaType: "image/png", base64: "AAAA" } }],
    });
  });

  test("one without a matching call is refused by name", () => {
    expect(refusal({ contents: [go, { parts: [response({})] }] })).toEqual({
      code: "invalid_parameter",
      param: "contents[1].parts[0].functionResponse.name",
    });
  });
});

describe("tools", () => {
  test("functions with either kind of schema, and tools that Google runs", () => {
    const schema = { type: "object", properties: { a: { const: 1 } } };
    const { tools } = decode({
      contents: [go],
      tools: [
        {
          functionDeclarations: [
            { name: "old", description: "Old.", parameters: { type: "OBJECT", properties: { a: { type: "STRING" } } } },
            { name: "new", parametersJsonSchema: schema },
          ],
          codeExecution: {},
        },
        { google_search: {} },
      ],
    });
    expect(tools).toEqual([
      {
        type: "function",
        name: "old",
        description: "Old.",
        parameters: { type: "object", properties: { a: { type: "string" } } },
        path: "tools[0].functionDeclarations[0]",
      },
      { type: "function", name: "new", parameters: schema, path: "tools[0].functionDeclarations[1]" },
      { type: "native", vendor: "google", value: { codeExecution: {} }, path: "tools[0]" },
      { type: "native", vendor: "google", value: { google_search: {} }, path: "tools[1]" },
    ]);
  });

  const choices: [object, unknown][] = [
    [{ mode: "AUTO" }, { type: "auto" }],
    [{ mode: "none" }, { type: "none" }],
    [{ mode: "ANY" }, { type: "required" }],
    [
      { mode: "ANY", allowedFunctionNames: ["f"] },
      { type: "tool", kind: "function", name: "f" },
    ],
    [
      { mode: "ANY", allowed_function_names: ["f", "g"] },
      { type: "allowed", mode: "required", names: ["f", "g"] },
    ],
    [
      { mode: "VALIDATED", allowedFunctionNames: ["f"] },
      { type: "allowed", mode: "auto", names: ["f"] },
    ],
    [{ mode: "VALIDATED" }, { type: "auto" }],
    [{}, undefined],
  ];
  for (const [calling, choice] of choices) {
    test(`calling ${JSON.stringify(calling)}`, () => {
      const { toolChoice, vendorFields } = decode({ contents: [go], toolConfig: { functionCallingConfig: calling } });
      expect(toolChoice).toEqual(choice as never);
      const kept = JSON.stringify(calling) === '{"mode":"VALIDATED"}' ? { functionCallingConfig: calling } : undefined;
      expect(vendorFields?.["google.toolOptions"]).toEqual(kept);
    });
  }
});

describe("settings", () => {
  const config = (generationConfig: object) => decode({ contents: [go], generationConfig });

  test("thinking", () => {
    const thinking = (thinkingConfig: object) => config({ thinkingConfig }).reasoning;
    expect(thinking({ thinkingBudget: 0 })).toEqual({ enabled: false });
    expect(thinking({ thinkingBudget: -1 })).toEqual({ enabled: true });
    expect(thinking({ thinkingBudget: 512, includeThoughts: true })).toEqual({ budgetTokens: 512, summary: "auto" });
    expect(thinking({ thinking_level: "low" })).toEqual({ effort: "low" });
    expect(thinking({ includeThoughts: false })).toBeUndefined();
  });

  test("formats of an answer", () => {
    expect(config({ responseMimeType: "application/json" }).responseFormat).toEqual({ type: "json" });
    expect(config({ responseMimeType: "text/plain" }).responseFormat).toBeUndefined();
    const json = "application/json";
    expect(
      config({ responseMimeType: json, responseSchema: { type: "ARRAY", items: { type: "STRING" } } }).responseFormat,
    ).toEqual({
      type: "schema",
      schema: { type: "array", items: { type: "string" } },
    });
    expect(config({ responseMimeType: json, response_json_schema: { const: 1 } }).responseFormat).toEqual({
      type: "schema",
      schema: { const: 1 },
    });
    const only = { responseMimeType: "text/x.enum", responseSchema: { type: "STRING", enum: ["a"] } };
    expect(config(only).vendorFields).toEqual({ "google.generationOptions": only });
  });

  test("the model of the address, without its folder", () => {
    expect(decode({ contents: [go], model: "models/other" })).toMatchObject({ model: "m", stream: true });
    expect(() => decodeGeminiRequest({ contents: [go] })).toThrow("model");
  });

  test("unknown fields are named as they were written", () => {
    const { unknownFields } = decode({
      contents: [
        {
          parts: [{ text: "a", video_metadata: {} }, { inlineData: { mimeType: "image/png", data: "", extra: 1 } }],
          extra: 1,
        },
      ],
      tools: [{ functionDeclarations: [{ name: "f", behavior: "BLOCKING", response: {} }] }],
      surprise: true,
      nothing: null,
    });
    expect(unknownFields).toEqual([
      "contents[0].parts[0].video_metadata",
      "contents[0].parts[1].inlineData.extra",
      "contents[0].extra",
      "tools[0].functionDeclarations[0].behavior",
      "tools[0].functionDeclarations[0].response",
      "surprise",
    ]);
  });

  test("warnings use the caller's own spelling", () => {
    const paths: string[] = [];
    const request = decode({
      contents: [go],
      generation_config: { top_k: 5, thinking_config: { thinking_budget: 0 } },
      safety_settings: [],
      cachedContent: "c",
    });
    visitFields(request, (_field, path) => paths.push(path));
    expect(paths).toContain("generation_config.top_k");
    expect(paths).toContain("generation_config.thinking_config.thinking_budget");
    expect(paths).toContain("safety_settings");
    expect(paths).toContain("cachedContent");
  });
});

describe("invalid values are refused with their path", () => {
  const rows: [JsonObject, string][] = [
    [{}, "contents"],
    [{ contents: [] }, "contents"],
    [{ contents: "Hi" }, "contents"],
    [{ contents: [{ role: "system", parts: [] }] }, "contents[0].role"],
    [{ contents: [{ parts: ["Hi"] }] }, "contents[0].parts[0]"],
    [{ contents: [{ parts: [{}] }] }, "contents[0].parts[0]"],
    [{ contents: [{ parts: [{ text: 1 }] }] }, "contents[0].parts[0].text"],
    [{ contents: [{ parts: [{ inline_data: { data: "" } }] }] }, "contents[0].parts[0].inline_data.mimeType"],
    [{ contents: [{ role: "model", parts: [{ functionCall: {} }] }] }, "contents[0].parts[0].functionCall.name"],
    [{ contents: [go], systemInstruction: 1 }, "systemInstruction"],
    [{ contents: [go], tools: [{ functionDeclarations: [{}] }] }, "tools[0].functionDeclarations[0].name"],
    [
      { contents: [go], toolConfig: { functionCallingConfig: { mode: "SOME" } } },
      "toolConfig.functionCallingConfig.mode",
    ],
    [{ contents: [go], generationConfig: { temperature: "hot" } }, "generationConfig.temperature"],
    [{ contents: [go], generationConfig: { stopSequences: [1] } }, "generationConfig.stopSequences[0]"],
    [
      { contents: [go], generationConfig: { thinkingConfig: { thinkingLevel: "SO" } } },
      "generationConfig.thinkingConfig.thinkingLevel",
    ],
    [{ contents: [go], serviceTier: "first" }, "serviceTier"],
  ];
  for (const [body, param] of rows) test(param, () => expect(refusal(body).param).toBe(param));
});
