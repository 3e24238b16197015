import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ApiError, FunctionCallingConfigMode, GoogleGenAI, ThinkingLevel, Type, type Content } from "@google/genai";
import { type Sandbox, startSandbox } from "../server.ts";

let sandbox: Sandbox;
let client: GoogleGenAI;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: ["sk-test"] });
  client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: sandbox.url } });
});
afterAll(() => sandbox.stop());

const model = "sandbox-chat";
const weather = {
  functionDeclarations: [
    {
      name: "get_weather",
      parameters: { type: Type.OBJECT, properties: { city: { type: Type.STRING } }, required: ["city"] },
    },
  ],
};

async function refusalOf(promise: Promise<unknown>): Promise<{ status: number; message: string }> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof ApiError) return { status: error.status, message: error.message };
    throw error;
  }
  throw new Error("It was not refused.");
}

describe("generateContent", () => {
  test("an echo with consistent usage", async () => {
    const answer = await client.models.generateContent({ model, contents: "Good morning" });
    expect(answer.text).toBe("You said: Good morning");
    expect(answer.candidates?.[0]?.finishReason).toBe("STOP" as never);
    expect(answer.usageMetadata).toMatchObject({ promptTokenCount: 7, candidatesTokenCount: 6, totalTokenCount: 13 });
  });

  test("settings are applied", async () => {
    const contents = "one two three four five six";
    const short = await client.models.generateContent({ model, contents, config: { maxOutputTokens: 3 } });
    expect(short.candidates?.[0]?.finishReason).toBe("MAX_TOKENS" as never);
    const stopped = await client.models.generateContent({
      model,
      contents,
      config: { stopSequences: [" three"], candidateCount: 2, responseLogprobs: true, systemInstruction: "Be kind." },
    });
    expect(stopped.candidates?.map((candidate) => candidate.content?.parts?.[0]?.text)).toEqual(
      Array(2).fill("You said: one two"),
    );
    expect(stopped.candidates?.[0]?.logprobsResult?.chosenCandidates?.length).toBeGreaterThan(0);
  });

  test("a schema is satisfied", async () => {
    const responseSchema = { type: Type.OBJECT, properties: { n: { type: Type.INTEGER } }, required: ["n"] };
    const config = { responseMimeType: "application/json", responseSchema };
    const answer = await client.models.generateContent({ model, contents: "A number", config });
    expect(JSON.parse(answer.text ?? "")).toEqual({ n: expect.any(Number) });
  });

  test("thoughts are shown if requested, and always counted", async () => {
    const ask = (includeThoughts: boolean) =>
      client.models.generateContent({
        model: "sandbox-reasoning",
        contents: "Hi",
        config: { thinkingConfig: { includeThoughts } },
      });
    const thoughtsOf = (answer: Awaited<ReturnType<typeof ask>>) =>
      answer.candidates?.[0]?.content?.parts?.filter((part) => part.thought).length;
    const [shown, hidden] = [await ask(true), await ask(false)];
    expect([thoughtsOf(shown), thoughtsOf(hidden)]).toEqual([1, 0]);
    expect(hidden.usageMetadata?.thoughtsTokenCount).toBeGreaterThan(0);
    expect(hidden.text).toBe(shown.text);
  });
});

describe("streams", () => {
  test("a chat with history and two parallel calls", async () => {
    const chat = client.chats.create({ model: "sandbox-gemini-3-flash", config: { tools: [weather] } });
    const calls = [];
    for await (const chunk of await chat.sendMessageStream({ message: "weather in Paris and Rome" })) {
      calls.push(...(chunk.functionCalls ?? []));
    }
    expect(calls.map((call) => call.args)).toEqual([{ city: "Paris" }, { city: "Rome" }]);
    const message = calls.map(({ name }, index) => ({
      functionResponse: { name: name ?? "", response: { output: index === 0 ? "sun" : "rain" } },
    }));
    let text = "";
    for await (const chunk of await chat.sendMessageStream({ message })) text += chunk.text ?? "";
    expect(text).toBe("Here is what the tools found: get_weather says sun; get_weather says rain.");
    expect(chat.getHistory(true).length).toBeGreaterThanOrEqual(4);
  });

  test("without alt=sse a stream is one JSON array", async () => {
    const body = JSON.stringify({ contents: [{ parts: [{ text: "Hello there" }] }], sandbox: { chunks: 3 } });
    const post = (query: string) =>
      fetch(`${sandbox.url}/v1beta/models/${model}:streamGenerateContent?key=sk-test${query}`, {
        method: "POST",
        body,
      });
    const array = await post("");
    expect(array.headers.get("content-type")).toContain("application/json");
    const chunks = (await array.json()) as { candidates: { finishReason?: string }[] }[];
    expect(chunks.map((chunk) => chunk.candidates[0]?.finishReason)).toEqual([undefined, undefined, undefined, "STOP"]);
    const events = (await (await post("&alt=sse")).text()).trim().split("\n\n");
    expect(events.length).toBe(4);
    expect(events.every((event) => event.startsWith("data: {"))).toBe(true);
  });

  test("an error within a stream, in both forms", async () => {
    const sandboxField = { chunks: 3, fault: { kind: "error_event", after: 2, message: "Broken." } };
    const body = JSON.stringify({ contents: [{ parts: [{ text: "Hi" }] }], sandbox: sandboxField });
    const post = (query: string) =>
      fetch(`${sandbox.url}/v1beta/models/${model}:streamGenerateContent?key=sk-test${query}`, {
        method: "POST",
        body,
      });
    const chunks = (await (await post("")).json()) as unknown[];
    expect(chunks.at(-1)).toMatchObject({ error: { code: 500, message: "Broken.", status: "INTERNAL" } });
    const events = (await (await post("&alt=sse")).text()).trim().split("\n\n");
    expect(JSON.parse(events.at(-1)?.slice(6) ?? "")).toMatchObject({ error: { message: "Broken." } });
  });
});

describe("other operations", () => {
  test("token counts equal the usage of an answer", async () => {
    const contents = "Good morning";
    expect(await client.models.countTokens({ model, contents })).toMatchObject({ totalTokens: 7 });
  });

  test("embeddings have the requested length and depend only on the text", async () => {
    const contents = ["a", "b", "a"];
    const { embeddings } = await client.models.embedContent({ model, contents, config: { outputDimensionality: 8 } });
    expect(embeddings?.map(({ values }) => values?.length)).toEqual([8, 8, 8]);
    const [first, second, third] = (embeddings ?? []).map(({ values }) => JSON.stringify(values));
    expect(third).toBe(first ?? "");
    expect(second).not.toBe(first ?? "");
  });

  test("models", async () => {
    // The paths of version 1 are also OpenAI's.
    const client = new GoogleGenAI({ apiKey: "sk-test", httpOptions: { baseUrl: sandbox.url, apiVersion: "v1beta" } });
    expect((await client.models.get({ model })).name).toBe(`models/${model}`);
    const names = [];
    for await (const listed of await client.models.list()) names.push(listed.name);
    expect(names).toContain("models/sandbox-chat");
    expect(await refusalOf(client.models.get({ model: "no-such" }))).toMatchObject({ status: 404 });
  });
});

describe("refusals", () => {
  const ask = (contents: Content[], config = {}, name = model) =>
    refusalOf(client.models.generateContent({ model: name, contents, config }));
  const go: Content = { role: "user", parts: [{ text: "Go" }] };
  const called = (...parts: object[]): Content => ({ role: "model", parts });
  const call = { functionCall: { name: "f", args: {} } };
  const response = { functionResponse: { name: "f", response: { output: "1" } } };
  const answered = (...parts: object[]): Content => ({ role: "user", parts });

  test("an invalid key, an unknown model", async () => {
    const stranger = new GoogleGenAI({ apiKey: "sk-other", httpOptions: { baseUrl: sandbox.url } });
    const refusal = await refusalOf(stranger.models.generateContent({ model, contents: "Hi" }));
    expect(refusal.message).toContain("API_KEY_INVALID");
    expect((await ask([go], {}, "gpt-4")).status).toBe(404);
  });

  test("split, extra or missing results", async () => {
    const split = [go, called(call, call), answered(response), answered(response)];
    expect((await ask(split)).message).toContain("number of function response parts");
    expect((await ask([go, answered(response)])).message).toContain("immediately after a function call turn");
    expect((await ask([called(call), answered(response)])).message).toContain("immediately after a user turn");
    const other = { functionResponse: { name: "g", response: {} } };
    expect((await ask([go, called(call), answered(other)])).message).toContain("does not match");
  });

  test("a call with a missing or changed signature, for models that require it", async () => {
    const loop = (thoughtSignature?: string) => [go, called({ ...call, thoughtSignature }), answered(response)];
    const newer = "sandbox-gemini-3-pro";
    expect((await ask(loop(), {}, newer)).message).toContain("missing a thought_signature");
    expect((await ask(loop("bm90IG91cnM="), {}, newer)).message).toContain("not valid");
    const skipped = loop("skip_thought_signature_validator");
    expect((await client.models.generateContent({ model: newer, contents: skipped })).text).toContain("f says 1");
    expect((await client.models.generateContent({ model, contents: loop() })).text).toContain("f says 1");
  });

  test("schema keywords outside the subset, and incompatible settings", async () => {
    const declared = (more: object) => ({ tools: [{ functionDeclarations: [{ name: "f", ...more }] }] });
    const keyword = await ask([go], declared({ parameters: { type: "OBJECT", properties: { a: { const: 1 } } } }));
    expect(keyword.message).toContain("Cannot find field");
    const reference = { type: "object", properties: { a: { $ref: "#/$defs/a", description: "A." } } };
    expect((await ask([go], declared({ parametersJsonSchema: reference }))).status).toBe(400);
    const twice = { thinkingConfig: { thinkingBudget: 100, thinkingLevel: ThinkingLevel.LOW } };
    expect((await ask([go], twice)).message).toContain("only one of");
    expect((await ask([go], { stopSequences: "a b c d e f".split(" ") })).message).toContain("5 stop sequences");
    const names = { functionCallingConfig: { mode: FunctionCallingConfigMode.AUTO, allowedFunctionNames: ["f"] } };
    expect((await ask([go], { ...declared({}), toolConfig: names })).status).toBe(400);
  });

  test("files at other addresses, empty contents, unknown fields", async () => {
    const file = answered({ fileData: { fileUri: "https://example.com/a.png", mimeType: "image/png" } });
    expect((await ask([file])).message).toContain("Cannot fetch");
    expect((await ask([answered()])).message).toContain("must not be empty");
    for (const body of [
      { contents: [go], max_tokens: 1 },
      { contents: [{ parts: [{ text: "a", type: "text" }] }] },
      {},
    ]) {
      const url = `${sandbox.url}/v1beta/models/${model}:generateContent`;
      const headers = { "x-goog-api-key": "sk-test" };
      const refused = await fetch(url, { method: "POST", headers, body: JSON.stringify(body) });
      expect(refused.status).toBe(400);
      expect(await refused.json()).toMatchObject({ error: { code: 400, status: "INVALID_ARGUMENT" } });
    }
  });
});
