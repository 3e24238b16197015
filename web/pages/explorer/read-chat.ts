import { ApiError } from "../../api/error.ts";

interface ChatChunk {
  readonly choices?: readonly {
    readonly delta?: { readonly content?: string | null; readonly reasoning_content?: string | null };
  }[];
  readonly error?: { readonly message?: string; readonly code?: string | null; readonly request_id?: string };
}

/** The pieces of a streamed chat as they come. @throws {ApiError} if the stream ends with an error */
export async function* readChat(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  for await (const data of readEvents(stream)) {
    if (data === "[DONE]") return;
    const { choices, error } = JSON.parse(data) as ChatChunk;
    if (error) throw new ApiError(502, error.message ?? "The stream broke off.", error.code, null, error.request_id);
    const text = choices?.[0]?.delta?.content;
    if (typeof text === "string" && text !== "") yield text;
  }
}

/** The data of server-sent events. */
async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
  const reader = stream.getReader();
  const decoder = new TextDecoder();
  let rest = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      rest += decoder.decode(value, { stream: !done });
      const events = rest.split(/\r?\n\r?\n/);
      rest = done ? "" : (events.pop() ?? "");
      for (const event of events) {
        const data = dataOf(event);
        if (data !== "") yield data;
      }
      if (done) return;
    }
  } finally {
    // A stream that is left before its end is given up.
    await reader.cancel().catch(() => {});
  }
}

function dataOf(event: string): string {
  return event
    .split(/\r?\n/)
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(5).replace(/^ /, ""))
    .join("\n");
}
