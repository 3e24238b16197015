import {
  type Answer,
  argumentsOf,
  type ConversationRequest,
  dataOfPicture,
  type Dialect,
  type JsonObject,
  type Message,
  type Picture,
  type ToolCall,
} from "./conversation.ts";

/** Anthropic asks for a limit. */
const defaultMaxTokens = 4_096;

interface StreamEvent {
  readonly type: string;
  readonly index?: number;
  readonly content_block?: JsonObject;
  readonly delta?: {
    readonly text?: string;
    readonly thinking?: string;
    readonly signature?: string;
    readonly partial_json?: string;
  };
  readonly usage?: { readonly output_tokens?: number };
}

/** Anthropic's Messages. */
export const messagesDialect: Dialect = {
  path: () => "/v1/messages",
  body: ({ model, settings, messages }) => ({
    model,
    stream: true,
    max_tokens: settings.maxTokens ?? defaultMaxTokens,
    ...(settings.system !== "" && { system: settings.system }),
    messages: messages.map(encodeMessage),
    ...optionsOf(settings),
  }),
  read(answer, event) {
    const { type, index = 0, content_block: block, delta, usage } = event as StreamEvent;
    switch (type) {
      case "content_block_start":
        return block ? begun(answer, index, block) : answer;
      case "content_block_delta":
        return delta ? continued(answer, index, delta) : answer;
      case "content_block_stop":
        return ended(answer, index);
      case "message_stop":
        return { ...answer, native: answer.native.filter(isRepeatable) };
      case "message_delta":
        return { ...answer, outputTokens: usage?.output_tokens ?? answer.outputTokens };
      default:
        return answer;
    }
  },
};

function optionsOf({ tools, schema, effort, temperature }: ConversationRequest["settings"]) {
  const output = {
    ...(effort && { effort }),
    ...(schema && { format: { type: "json_schema", schema } }),
  };
  return {
    ...(tools.length > 0 && {
      tools: tools.map(({ parameters, ...tool }) => ({ ...tool, input_schema: parameters })),
    }),
    ...(effort && { thinking: { type: "adaptive", display: "summarized" } }),
    ...(Object.keys(output).length > 0 && { output_config: output }),
    ...(temperature !== null && { temperature }),
  };
}

function encodeMessage(message: Message): object {
  switch (message.role) {
    case "user": {
      const { text, pictures } = message;
      return { role: "user", content: [...pictures.map(encodePicture), { type: "text", text }] };
    }
    case "tool": {
      const content = message.results.map(({ call, content: result }) => {
        return { type: "tool_result", tool_use_id: call.id, content: result };
      });
      return { role: "user", content };
    }
    case "assistant":
      return { role: "assistant", content: message.native.length > 0 ? message.native : message.text };
  }
}

function encodePicture(picture: Picture): object {
  const data = dataOfPicture(picture);
  const source = data
    ? { type: "base64", media_type: data.mediaType, data: data.base64 }
    : { type: "url", url: picture.url };
  return { type: "image", source };
}

function begun(answer: Answer, index: number, block: JsonObject): Answer {
  const native = [...answer.native];
  native[index] = block;
  if (block["type"] !== "tool_use") return { ...answer, native };
  const call = { id: String(block["id"]), name: String(block["name"]), arguments: "" };
  return { ...answer, native, calls: [...answer.calls, call] };
}

function continued(answer: Answer, index: number, delta: NonNullable<StreamEvent["delta"]>): Answer {
  const { text = "", thinking = "", signature, partial_json: json = "" } = delta;
  const native = answer.native.map((block, at) => {
    if (at !== index) return block;
    return {
      ...block,
      ...(text !== "" && { text: `${textOf(block["text"])}${text}` }),
      ...(thinking !== "" && { thinking: `${textOf(block["thinking"])}${thinking}` }),
      ...(signature !== undefined && { signature }),
    };
  });
  return {
    ...answer,
    native,
    text: answer.text + text,
    reasoning: answer.reasoning + thinking,
    // The blocks of a stream come one after another: the last call is the one that goes on.
    calls: json === "" ? answer.calls : answer.calls.map((call, at) => lengthened(call, at, answer, json)),
  };
}

function lengthened(call: ToolCall, at: number, { calls }: Answer, json: string): ToolCall {
  return at === calls.length - 1 ? { ...call, arguments: call.arguments + json } : call;
}

/** The input of a call is an object once it is complete. */
function ended(answer: Answer, index: number): Answer {
  const native = answer.native.map((block, at) => {
    const call = at === index ? answer.calls.find(({ id }) => id === block["id"]) : undefined;
    return call ? { ...block, input: argumentsOf(call) } : block;
  });
  return { ...answer, native };
}

/** Anthropic takes no text that is empty. */
function isRepeatable(block: JsonObject): boolean {
  return block["type"] !== "text" || block["text"] !== "";
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
