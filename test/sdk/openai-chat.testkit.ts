import OpenAI from "openai";
import {
  commonErrorName,
  noFieldForSummaries,
  person,
  resultOf,
  weather,
  type Ask,
  type Said,
  type Sdk,
} from "./session.testkit.ts";

type Message = OpenAI.ChatCompletionMessageParam;

/** The OpenAI SDK, asking for chat completions. */
export const openaiChatSdk: Sdk = {
  name: "openai chat",
  gaps: {
    count: "chat completions have no call that counts tokens",
    "reasoning at openai-responses": noFieldForSummaries,
  },
  errorName: commonErrorName,
  connect({ url, key, fetch }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch, maxRetries: 0 });
    const create = async (ask: Ask, messages: Message[]) =>
      said(await client.chat.completions.create(bodyOf(ask, messages)));
    const stream = async (ask: Ask, messages: Message[]) => {
      const running = client.chat.completions.stream({
        ...bodyOf(ask, messages),
        stream_options: { include_usage: true },
      });
      let pieces = 0;
      let reasoning = "";
      for await (const { choices } of running) {
        const delta: { content?: string | null; reasoning_content?: string } = choices[0]?.delta ?? {};
        if (delta.content) pieces += 1;
        reasoning += delta.reasoning_content ?? "";
      }
      const answer = said(await running.finalChatCompletion());
      // The SDK joins only its own fields; for others it would keep only the last chunk.
      const message = { ...answer.message, ...(reasoning === "" ? {} : { reasoning_content: reasoning }) };
      return { ...answer, message, reasoning, pieces };
    };
    return {
      ask: (ask) => create(ask, firstTurn(ask)),
      stream: (ask) => stream(ask, firstTurn(ask)),
      async loop(ask, streamed) {
        const turn = streamed ? stream : create;
        const { message } = await turn(ask, firstTurn(ask));
        const calls = (message.tool_calls ?? []).filter((call) => call.type === "function");
        const results = calls.map(({ id }, place) => ({
          role: "tool" as const,
          tool_call_id: id,
          content: resultOf(place),
        }));
        const { text } = await turn(ask, [...firstTurn(ask), message, ...results]);
        return { calls: calls.map((call) => JSON.parse(call.function.arguments) as unknown), text };
      },
      async person(ask) {
        const json_schema = { name: "person", schema: person, strict: true };
        const answer = await client.chat.completions.create({
          ...bodyOf(ask, firstTurn(ask)),
          response_format: { type: "json_schema", json_schema },
        });
        return JSON.parse(answer.choices[0]?.message.content ?? "") as unknown;
      },
      async embed(model, input) {
        return (await client.embeddings.create({ model, input })).data.map(({ embedding }) => embedding);
      },
      async leave(ask) {
        const running = await client.chat.completions.create({ ...bodyOf(ask, firstTurn(ask)), stream: true });
        for await (const chunk of running) if (chunk.choices[0]?.delta.content) break;
      },
    };
  },
};

function firstTurn({ prompt, image }: Ask): Message[] {
  if (image === undefined) return [{ role: "user", content: prompt }];
  const picture = { type: "image_url" as const, image_url: { url: `data:image/png;base64,${image}` } };
  return [{ role: "user", content: [{ type: "text", text: prompt }, picture] }];
}

function bodyOf({ model, tools, reasoning }: Ask, messages: Message[]) {
  const declared = { name: weather.name, description: weather.description, parameters: weather.schema };
  return {
    model,
    messages,
    ...(tools === true ? { tools: [{ type: "function" as const, function: declared }] } : {}),
    ...(reasoning === true ? { reasoning_effort: "medium" as const } : {}),
  };
}

function said(answer: OpenAI.ChatCompletion): Said & { readonly message: OpenAI.ChatCompletionMessage } {
  const message = answer.choices[0]?.message;
  if (message === undefined) throw new Error("There is no answer.");
  const { reasoning_content: reasoning } = message as { reasoning_content?: string };
  return {
    message,
    text: message.content ?? "",
    reasoning: reasoning ?? "",
    input: answer.usage?.prompt_tokens ?? -1,
    output: answer.usage?.completion_tokens ?? -1,
    pieces: 1,
  };
}
