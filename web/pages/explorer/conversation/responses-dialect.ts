import type { ConversationRequest, Dialect, JsonObject, Message, ToolCall } from "./conversation.ts";

interface StreamEvent {
  readonly type: string;
  readonly delta?: string;
  readonly item?: OutputItem;
  readonly response?: {
    readonly output?: readonly OutputItem[];
    readonly usage?: { readonly output_tokens?: number } | null;
  };
}

interface OutputItem extends JsonObject {
  readonly type?: string;
  readonly call_id?: string;
  readonly name?: string;
  readonly arguments?: string;
}

/** OpenAI's Responses. Nothing is stored: each request repeats the conversation. */
export const responsesDialect: Dialect = {
  path: () => "/v1/responses",
  body: ({ model, settings, messages }) => ({
    model,
    stream: true,
    store: false,
    ...(settings.system !== "" && { instructions: settings.system }),
    input: messages.flatMap(encodeMessage),
    ...optionsOf(settings),
  }),
  read(answer, event) {
    const { type, delta = "", item, response } = event as StreamEvent;
    switch (type) {
      case "response.output_text.delta":
      case "response.refusal.delta":
        return { ...answer, text: answer.text + delta };
      case "response.reasoning_summary_text.delta":
      case "response.reasoning_text.delta":
        return { ...answer, reasoning: answer.reasoning + delta };
      case "response.output_item.done":
        return item?.type === "function_call" ? { ...answer, calls: [...answer.calls, callOf(item)] } : answer;
      case "response.completed":
      case "response.incomplete":
        return {
          ...answer,
          native: response?.output ?? [],
          outputTokens: response?.usage?.output_tokens ?? answer.outputTokens,
        };
      default:
        return answer;
    }
  },
};

function optionsOf({ tools, schema, effort, maxTokens, temperature }: ConversationRequest["settings"]) {
  return {
    ...(tools.length > 0 && { tools: tools.map((tool) => ({ type: "function", ...tool, strict: false })) }),
    ...(schema && { text: { format: { type: "json_schema", name: "answer", schema, strict: true } } }),
    ...(effort && { reasoning: { effort, summary: "auto" }, include: ["reasoning.encrypted_content"] }),
    ...(maxTokens !== null && { max_output_tokens: maxTokens }),
    ...(temperature !== null && { temperature }),
  };
}

function encodeMessage(message: Message): readonly object[] {
  switch (message.role) {
    case "user": {
      const { text, pictures } = message;
      const images = pictures.map(({ url }) => ({ type: "input_image", image_url: url, detail: "auto" }));
      return [{ role: "user", content: [...images, { type: "input_text", text }] }];
    }
    case "tool":
      return message.results.map(({ call, content }) => {
        return { type: "function_call_output", call_id: call.id, output: content };
      });
    case "assistant":
      return message.native.length > 0 ? message.native : [{ role: "assistant", content: message.text }];
  }
}

function callOf({ call_id: id = "", name = "", arguments: text = "" }: OutputItem): ToolCall {
  return { id, name, arguments: text };
}
