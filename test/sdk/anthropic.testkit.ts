import Anthropic from "@anthropic-ai/sdk";
import { commonErrorName, person, resultOf, weather, type Ask, type Said, type Sdk } from "./session.testkit.ts";

type Message = Anthropic.MessageParam;

const newerNames: Readonly<Record<number, string>> = {
  503: "ServiceUnavailableError",
  504: "GatewayTimeoutError",
};

/** The Anthropic SDK. */
export const anthropicSdk: Sdk = {
  name: "anthropic",
  gaps: { embeddings: "the SDK has no call for embeddings" },
  errorName: (status) => newerNames[status] ?? commonErrorName(status),
  connect({ url, key, fetch }) {
    const client = new Anthropic({ baseURL: url, apiKey: key, fetch, maxRetries: 0 });
    const create = async (ask: Ask, messages: Message[]) => said(await client.messages.create(bodyOf(ask, messages)));
    const stream = async (ask: Ask, messages: Message[]) => {
      const running = client.messages.stream(bodyOf(ask, messages));
      let pieces = 0;
      running.on("text", () => (pieces += 1));
      return { ...said(await running.finalMessage()), pieces };
    };
    return {
      ask: (ask) => create(ask, firstTurn(ask)),
      stream: (ask) => stream(ask, firstTurn(ask)),
      async loop(ask, streamed) {
        const turn = streamed ? stream : create;
        const { content } = await turn(ask, firstTurn(ask));
        const calls = content.filter((block) => block.type === "tool_use");
        const results = calls.map(({ id }, place) => ({
          type: "tool_result" as const,
          tool_use_id: id,
          content: resultOf(place),
        }));
        const { text } = await turn(ask, [
          ...firstTurn(ask),
          { role: "assistant", content },
          { role: "user", content: results },
        ]);
        return { calls: calls.map((call) => call.input), text };
      },
      async person(ask) {
        const answer = await client.messages.create({
          ...bodyOf(ask, firstTurn(ask)),
          output_config: { format: { type: "json_schema", schema: person } },
        });
        return JSON.parse(said(answer).text) as unknown;
      },
      async count(ask) {
        const { model, messages } = bodyOf(ask, firstTurn(ask));
        return (await client.messages.countTokens({ model, messages })).input_tokens;
      },
      async leave(ask) {
        const running = await client.messages.create({ ...bodyOf(ask, firstTurn(ask)), stream: true });
        for await (const event of running) {
          if (event.type === "content_block_delta" && event.delta.type === "text_delta") break;
        }
      },
    };
  },
};

function firstTurn({ prompt, image }: Ask): Message[] {
  if (image === undefined) return [{ role: "user", content: prompt }];
  const source = { type: "base64" as const, media_type: "image/png" as const, data: image };
  const content = [
    { type: "text" as const, text: prompt },
    { type: "image" as const, source },
  ];
  return [{ role: "user", content }];
}

function bodyOf({ model, tools, reasoning }: Ask, messages: Message[]) {
  const { name, description, schema } = weather;
  return {
    model,
    messages,
    max_tokens: 4_000,
    ...(tools === true ? { tools: [{ name, description, input_schema: schema }] } : {}),
    ...(reasoning === true ? { thinking: { type: "enabled" as const, budget_tokens: 2_048 } } : {}),
  };
}

function said(answer: Anthropic.Message): Said & { readonly content: Anthropic.ContentBlock[] } {
  const { usage, content } = answer;
  return {
    content,
    text: content.map((block) => (block.type === "text" ? block.text : "")).join(""),
    reasoning: content.map((block) => (block.type === "thinking" ? block.thinking : "")).join(""),
    input: usage.input_tokens + (usage.cache_read_input_tokens ?? 0) + (usage.cache_creation_input_tokens ?? 0),
    output: usage.output_tokens,
    pieces: 1,
  };
}
