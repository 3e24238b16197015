import type { Answer, ConversationRequest, Dialect, Message, ToolCall } from "./conversation.ts";

interface Chunk {
  readonly choices?: readonly { readonly delta?: Delta }[];
  readonly usage?: { readonly completion_tokens?: number } | null;
}

interface Delta {
  readonly content?: string | null;
  readonly reasoning_content?: string | null;
  readonly tool_calls?: readonly {
    readonly index: number;
    readonly id?: string;
    readonly function?: { readonly name?: string; readonly arguments?: string };
  }[];
}

/** OpenAI's Chat Completions. */
export const chatDialect: Dialect = {
  path: () => "/v1/chat/completions",
  body: ({ model, settings, messages }) => ({
    model,
    stream: true,
    stream_options: { include_usage: true },
    messages: [
      ...(settings.system === "" ? [] : [{ role: "system", content: settings.system }]),
      ...messages.flatMap(encodeMessage),
    ],
    ...optionsOf(settings),
  }),
  read(answer, event) {
    const { choices, usage } = event as Chunk;
    const delta = choices?.[0]?.delta;
    return {
      ...answer,
      text: answer.text + (delta?.content ?? ""),
      reasoning: answer.reasoning + (delta?.reasoning_content ?? ""),
      calls: delta?.tool_calls ? withCalls(answer, delta.tool_calls) : answer.calls,
      outputTokens: usage?.completion_tokens ?? answer.outputTokens,
    };
  },
};

function optionsOf({ tools, schema, effort, maxTokens, temperature }: ConversationRequest["settings"]) {
  return {
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", function: tool })) }),
    ...(schema && {
      response_format: { type: "json_schema", json_schema: { name: "answer", schema, strict: true } },
    }),
    ...(effort && { reasoning_effort: effort }),
    ...(maxTokens !== null && { max_completion_tokens: maxTokens }),
    ...(temperature !== null && { temperature }),
  };
}

function encodeMessage(message: Message): readonly object[] {
  switch (message.role) {
    case "user": {
      const { text, pictures } = message;
      if (pictures.length === 0) return [{ role: "user", content: text }];
      const images = pictures.map(({ url }) => ({ type: "image_url", image_url: { url } }));
      return [{ role: "user", content: [...images, { type: "text", text }] }];
    }
    case "tool":
      return message.results.map(({ call, content }) => ({ role: "tool", tool_call_id: call.id, content }));
    case "assistant": {
      const calls = message.calls.map(({ id, name, arguments: text }) => ({
        id,
        type: "function",
        function: { name, arguments: text },
      }));
      return [{ role: "assistant", content: message.text, ...(calls.length > 0 && { tool_calls: calls }) }];
    }
  }
}

function withCalls({ calls }: Answer, deltas: NonNullable<Delta["tool_calls"]>): readonly ToolCall[] {
  const changed = [...calls];
  for (const { index, id, function: called } of deltas) {
    const before = changed[index] ?? { id: "", name: "", arguments: "" };
    changed[index] = {
      id: before.id || (id ?? ""),
      name: before.name || (called?.name ?? ""),
      arguments: before.arguments + (called?.arguments ?? ""),
    };
  }
  return changed;
}
