/** What callers ask and what the upstream answers: of the size and shape that real chat traffic has. */

const answerModel = "bench-upstream-1";
const usage = { prompt_tokens: 24, completion_tokens: 98, total_tokens: 122 };
const words = ["Every", " request", " is", " authenticated,", " routed,", " metered,", " charged", " once."];

/** Separately flushed pieces of a streamed answer. */
export const chunksPerStream = 100;
/** Between two chunks. */
export const chunkPauseSeconds = 0.001;
/** Of a stream that is held open: one chunk a second, for longer than any run holds it. */
export const heldStreamSeconds = 60;

/** Body of a chat call. */
export function requestBody(model: string, stream: boolean): string {
  const messages = [
    { role: "system", content: "You are a helpful assistant. Answer in one short paragraph." },
    { role: "user", content: "What does a gateway in front of model providers do with each request?" },
  ];
  return JSON.stringify({ model, messages, ...(stream ? { stream } : {}) });
}

/** The answer to a call that is not streamed. */
export function answerBody(): string {
  const content = words.join("").repeat(4);
  const choices = [{ index: 0, message: { role: "assistant", content, refusal: null }, finish_reason: "stop" }];
  return JSON.stringify({ ...answerHead("chat.completion"), choices, usage });
}

/** The events of a streamed answer, one string a chunk, each ending in an empty line. The last one ends the stream. */
export function streamChunks(): string[] {
  const texts = Array.from({ length: chunksPerStream - 2 }, (_, index) => words[index % words.length] ?? "");
  const contents = texts.map((content, index) => chunk(index === 0 ? { role: "assistant", content } : { content }));
  const last = event({ ...answerHead("chat.completion.chunk"), choices: [], usage });
  return [...contents, chunk({}, "stop"), `${last}data: [DONE]\n\n`];
}

/** One chunk with text in it, as a held stream repeats it. */
export function heldChunk(): string {
  return chunk({ content: " still" });
}

function chunk(delta: Record<string, string>, finishReason: string | null = null): string {
  const choices = [{ index: 0, delta, logprobs: null, finish_reason: finishReason }];
  return event({ ...answerHead("chat.completion.chunk"), choices, usage: null });
}

function answerHead(object: string) {
  return { id: "chatcmpl-bench0123456789abcdef", object, created: 1_760_000_000, model: answerModel };
}

function event(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}
