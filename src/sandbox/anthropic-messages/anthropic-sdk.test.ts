import Anthropic, { APIError } from "@anthropic-ai/sdk";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Sandbox, startSandbox } from "../server.ts";

let sandbox: Sandbox;
let client: Anthropic;
beforeAll(async () => {
  sandbox = await startSandbox({ apiKeys: ["sk-test"] });
  client = new Anthropic({ apiKey: "sk-test", baseURL: sandbox.url, maxRetries: 0 });
});
afterAll(() => sandbox.stop());

const model = "sandbox-chat";
const max_tokens = 1_000;
const user = (content: string) => ({ role: "user" as const, content });
const scripted = (script: object) => [user(`Hi [[sandbox: ${JSON.stringify(script)}]]`)];
const weather = {
  name: "get_weather",
  input_schema: { type: "object" as const, properties: { city: { type: "string" } }, required: ["city"] },
};

describe("messages", () => {
  test("an echo with consistent usage", async () => {
    const answer = await client.messages.create({ model, max_tokens, messages: [user("Good morning")] });
    expect(answer.content).toEqual([{ type: "text", text: "You said: Good morning", citations: null }]);
    expect(answer).toMatchObject({ stop_reason: "end_turn", usage: { input_tokens: 7, output_tokens: 6 } });
    const { input_tokens } = await client.messages.countTokens({ model, messages: [user("Good morning")] });
    expect(input_tokens).toBe(7);
  });

  test("limits and stop sequences are applied and reported", async () => {
    const messages = [user("one two three four five")];
    const short = await client.messages.create({ model, max_tokens: 3, messages });
    expect(short.stop_reason).toBe("max_tokens");
    const stopped = await client.messages.create({ model, max_tokens, messages, stop_sequences: ["five", " three"] });
    expect(stopped).toMatchObject({ stop_reason: "stop_sequence", stop_sequence: " three" });
  });

  test("a refusal has an explanation", async () => {
    const answer = await client.messages.create({ model, max_tokens, messages: scripted({ refusal: "I will not." }) });
    expect(answer).toMatchObject({ stop_reason: "refusal", stop_details: { explanation: "I will not." } });
  });

  test.each(["5m", "1h"] as const)("cache writes for %s are counted separately", async (ttl) => {
    const content = [
      { type: "text" as const, text: `Long ${ttl}`, cache_control: { type: "ephemeral" as const, ttl } },
    ];
    const ask = () => client.messages.create({ model, max_tokens, messages: [{ role: "user", content }] });
    const [first, second] = [await ask(), await ask()];
    const written = first.usage.cache_creation_input_tokens ?? 0;
    expect(written).toBeGreaterThan(0);
    expect(first.usage).toMatchObject({
      input_tokens: 0,
      cache_read_input_tokens: 0,
      cache_creation: {
        ephemeral_5m_input_tokens: ttl === "5m" ? written : 0,
        ephemeral_1h_input_tokens: ttl === "1h" ? written : 0,
      },
    });
    expect(second.usage).toMatchObject({ cache_creation_input_tokens: 0, cache_read_input_tokens: written });
  });
});

describe("streams", () => {
  test.each([model, "sandbox-reasoning"])("%s gives the same answer streamed, including tool calls", async (name) => {
    const request = { model: name, max_tokens, messages: [user("weather in Paris and Rome")], tools: [weather] };
    const streamed = await client.messages.stream(request).finalMessage();
    const whole = await client.messages.create(request);
    const said = ({ content, stop_reason, usage }: Anthropic.Message) => ({
      content: content.map((block) => (block.type === "tool_use" ? { ...block, id: "" } : block)),
      stop_reason,
      output: usage.output_tokens,
    });
    expect(said(streamed)).toEqual(said(whole));
    expect(whole.content.filter((block) => block.type === "tool_use").length).toBe(2);
  });

  test("thinking is signed, shown or omitted, and a changed block is rejected", async () => {
    const ask = (display: "summarized" | "omitted") =>
      client.messages
        .stream({
          model: "sandbox-reasoning",
          max_tokens: 2_000,
          thinking: { type: "adaptive", display },
          messages: [user("weather in Paris")],
          tools: [weather],
        })
        .finalMessage();
    for (const { content } of [await ask("summarized"), await ask("omitted")]) {
      const [thought, call] = content;
      if (thought?.type !== "thinking" || call?.type !== "tool_use") throw new Error("There is no thought and call.");
      const answered = (first: Anthropic.ThinkingBlock) =>
        client.messages.create({
          model: "sandbox-reasoning",
          max_tokens: 2_000,
          thinking: { type: "enabled", budget_tokens: 1_024 },
          tools: [weather],
          messages: [
            user("weather in Paris"),
            { role: "assistant", content: [first, call] },
            { role: "user", content: [{ type: "tool_result", tool_use_id: call.id, content: "20 degrees" }] },
          ],
        });
      expect((await answered(thought)).content.at(-1)).toMatchObject({ type: "text" });
      const changed = await answered({ ...thought, thinking: "Something else." }).catch((error: unknown) => error);
      expect(changed).toBeInstanceOf(APIError);
      expect(String(changed)).toContain("Invalid `signature` in `thinking` block");
    }
  });

  test("an error during a stream is thrown", async () => {
    const messages = scripted({ fault: { kind: "error_event", after: 3, message: "Tired." } });
    const error = await client.messages
      .stream({ model, max_tokens, messages })
      .finalMessage()
      .catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(APIError);
    expect(String(error)).toContain("Tired.");
  });
});

test("errors have Anthropic's types", async () => {
  const refusalOf = (of: Anthropic, name: string, messages = [user("Hi")]) =>
    of.messages.create({ model: name, max_tokens, messages }).catch((error: unknown) => error);
  const stranger = client.withOptions({ apiKey: "sk-other" });
  expect(await refusalOf(stranger, model)).toMatchObject({ status: 401, type: "authentication_error" });
  expect(await refusalOf(client, "nobody")).toMatchObject({ status: 404, type: "not_found_error" });
  const overloaded = scripted({ fault: { kind: "status", status: 529 } });
  expect(await refusalOf(client, model, overloaded)).toMatchObject({
    status: 529,
    type: "overloaded_error",
    requestID: expect.stringMatching(/^req_/),
  });
});

test("models are listed in Anthropic's format", async () => {
  const ids = (await Array.fromAsync(client.models.list())).map(({ id }) => id);
  expect(ids).toContain(model);
  expect(await client.models.retrieve(model)).toMatchObject({ id: model, type: "model" });
});
