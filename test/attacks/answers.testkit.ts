import type { Behaviour } from "./hostile-provider.testkit.ts";

const bodies: Readonly<Record<string, object>> = {
  "openai-chat": {
    id: "chatcmpl-1",
    object: "chat.completion",
    created: 1,
    model: "m",
    choices: [{ index: 0, message: { role: "assistant", content: "Hello" }, finish_reason: "stop" }],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  },
  "anthropic-messages": {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content: [{ type: "text", text: "Hello" }],
    stop_reason: "end_turn",
    stop_sequence: null,
    usage: { input_tokens: 1, output_tokens: 1 },
  },
};

/** The text of a good whole answer. */
export function chatBody(dialect: string): string {
  return JSON.stringify(bodies[dialect]);
}

/** A provider's good whole answer. */
export function chatAnswer(dialect: string): Behaviour {
  const body = chatBody(dialect);
  return (response) => void response.writeHead(200, { "content-type": "application/json" }).end(body);
}

/** An event of a stream in the shape of chat. */
export function chunk(content: string): string {
  const choices = [{ index: 0, delta: { content }, finish_reason: null }];
  return `data: ${JSON.stringify({ id: "chatcmpl-1", object: "chat.completion.chunk", choices })}\n\n`;
}
