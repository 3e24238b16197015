/** Good answers of every dialect that report this count on both sides, as raw JSON: a number beyond all numbers, for one. */
interface Answers {
  readonly whole: (count: string) => string;
  readonly stream: (count: string) => string;
}

const events = (...data: readonly string[]) => data.map((text) => `data: ${text}\n\n`).join("");
const named = (...data: readonly string[]) =>
  data.map(
    (text) => `event: ${(JSON.parse(text.replaceAll(/:COUNT/g, ":0")) as { type: string }).type}\ndata: ${text}\n\n`,
  );

const chatChunk = (rest: string) => `{"id":"c1","object":"chat.completion.chunk","created":1,"model":"m",${rest}}`;
const chatUsage = `"usage":{"prompt_tokens":COUNT,"completion_tokens":COUNT,"total_tokens":COUNT}`;

const message = (content: string, usage: string) =>
  `{"id":"msg_1","type":"message","role":"assistant","model":"m","content":${content},"stop_reason":null,"stop_sequence":null,"usage":${usage}}`;
const messageUsage = `{"input_tokens":COUNT,"output_tokens":COUNT,"cache_read_input_tokens":COUNT}`;

const item = `{"type":"message","id":"msg_1","status":"completed","role":"assistant","content":[{"type":"output_text","text":"Hello","annotations":[]}]}`;
const response = (status: string, output: string, usage: string) =>
  `{"id":"resp_1","object":"response","created_at":1,"status":"${status}","model":"m","output":${output},"usage":${usage}}`;
const responseUsage = `{"input_tokens":COUNT,"output_tokens":COUNT,"total_tokens":COUNT}`;

const candidates = `{"candidates":[{"content":{"role":"model","parts":[{"text":"Hello"}]},"finishReason":"STOP","index":0}],"usageMetadata":{"promptTokenCount":COUNT,"candidatesTokenCount":COUNT,"totalTokenCount":COUNT}}`;

const counted = (text: string) => (count: string) => text.replaceAll("COUNT", count);

export const reportedUsage: Readonly<Record<string, Answers>> = {
  "openai-chat": {
    whole: counted(
      `{"id":"c1","object":"chat.completion","created":1,"model":"m","choices":[{"index":0,"message":{"role":"assistant","content":"Hello"},"finish_reason":"stop"}],${chatUsage}}`,
    ),
    stream: counted(
      events(
        chatChunk(`"choices":[{"index":0,"delta":{"role":"assistant","content":"Hello"},"finish_reason":null}]`),
        chatChunk(`"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]`),
        chatChunk(`"choices":[],${chatUsage}`),
        "[DONE]",
      ),
    ),
  },
  "openai-responses": {
    whole: counted(response("completed", `[${item}]`, responseUsage)),
    stream: counted(
      named(
        `{"type":"response.created","response":${response("in_progress", "[]", "null")},"sequence_number":0}`,
        `{"type":"response.output_item.added","output_index":0,"item":{"type":"message","id":"msg_1","status":"in_progress","role":"assistant","content":[]},"sequence_number":1}`,
        `{"type":"response.content_part.added","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"","annotations":[]},"sequence_number":2}`,
        `{"type":"response.output_text.delta","item_id":"msg_1","output_index":0,"content_index":0,"delta":"Hello","sequence_number":3}`,
        `{"type":"response.output_text.done","item_id":"msg_1","output_index":0,"content_index":0,"text":"Hello","sequence_number":4}`,
        `{"type":"response.content_part.done","item_id":"msg_1","output_index":0,"content_index":0,"part":{"type":"output_text","text":"Hello","annotations":[]},"sequence_number":5}`,
        `{"type":"response.output_item.done","output_index":0,"item":${item},"sequence_number":6}`,
        `{"type":"response.completed","response":${response("completed", `[${item}]`, responseUsage)},"sequence_number":7}`,
      ).join(""),
    ),
  },
  "anthropic-messages": {
    whole: counted(message(`[{"type":"text","text":"Hello"}]`, messageUsage).replace("null", '"end_turn"')),
    stream: counted(
      named(
        `{"type":"message_start","message":${message("[]", messageUsage)}}`,
        `{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
        `{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Hello"}}`,
        `{"type":"content_block_stop","index":0}`,
        `{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":${messageUsage}}`,
        `{"type":"message_stop"}`,
      ).join(""),
    ),
  },
  gemini: { whole: counted(candidates), stream: counted(events(candidates)) },
};
