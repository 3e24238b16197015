import OpenAI from "openai";
import { commonErrorName, person, resultOf, weather, type Ask, type Said, type Sdk } from "./session.testkit.ts";

type Input = OpenAI.Responses.ResponseInput;

/** The OpenAI SDK, asking for responses, and keeping the conversation itself. */
export const openaiResponsesSdk: Sdk = {
  name: "openai responses",
  gaps: { embeddings: "they are asked for as the same SDK asks in the rows above" },
  errorName: commonErrorName,
  connect({ url, key, fetch }) {
    const client = new OpenAI({ baseURL: `${url}/v1`, apiKey: key, fetch, maxRetries: 0 });
    const create = async (ask: Ask, input: Input) => said(await client.responses.create(bodyOf(ask, input)));
    const stream = async (ask: Ask, input: Input) => {
      const running = client.responses.stream(bodyOf(ask, input));
      let pieces = 0;
      for await (const event of running) if (event.type === "response.output_text.delta") pieces += 1;
      return { ...said(await running.finalResponse()), pieces };
    };
    return {
      ask: (ask) => create(ask, firstTurn(ask)),
      stream: (ask) => stream(ask, firstTurn(ask)),
      async loop(ask, streamed) {
        const turn = streamed ? stream : create;
        const { items } = await turn(ask, firstTurn(ask));
        const calls = items.filter((item) => item.type === "function_call");
        const results = calls.map(({ call_id }, place) => ({
          type: "function_call_output" as const,
          call_id,
          output: resultOf(place),
        }));
        const { text } = await turn(ask, [...firstTurn(ask), ...(items as Input), ...results]);
        return { calls: calls.map((call) => JSON.parse(call.arguments) as unknown), text };
      },
      async person(ask) {
        const answer = await client.responses.create({
          ...bodyOf(ask, firstTurn(ask)),
          text: { format: { type: "json_schema", name: "person", schema: person, strict: true } },
        });
        return JSON.parse(answer.output_text) as unknown;
      },
      async count(ask) {
        const { model, input } = bodyOf(ask, firstTurn(ask));
        return (await client.responses.inputTokens.count({ model, input })).input_tokens;
      },
      async leave(ask) {
        const running = await client.responses.create({ ...bodyOf(ask, firstTurn(ask)), stream: true });
        for await (const event of running) if (event.type === "response.output_text.delta") break;
      },
    };
  },
};

function firstTurn({ prompt, image }: Ask): Input {
  const text = { type: "input_text" as const, text: prompt };
  const picture = {
    type: "input_image" as const,
    detail: "auto" as const,
    image_url: `data:image/png;base64,${image}`,
  };
  return [{ role: "user", content: image === undefined ? [text] : [text, picture] }];
}

function bodyOf({ model, tools, reasoning }: Ask, input: Input) {
  const { name, description, schema } = weather;
  return {
    model,
    input,
    ...(tools === true
      ? { tools: [{ type: "function" as const, name, description, parameters: schema, strict: false }] }
      : {}),
    ...(reasoning === true ? { reasoning: { effort: "medium" as const, summary: "auto" as const } } : {}),
  };
}

function said(answer: OpenAI.Responses.Response): Said & { readonly items: OpenAI.Responses.ResponseOutputItem[] } {
  const thoughts = answer.output.flatMap((item) => (item.type === "reasoning" ? item.summary : []));
  return {
    items: answer.output,
    text: answer.output_text,
    reasoning: thoughts.map(({ text }) => text).join(""),
    input: answer.usage?.input_tokens ?? -1,
    output: answer.usage?.output_tokens ?? -1,
    pieces: 1,
  };
}
