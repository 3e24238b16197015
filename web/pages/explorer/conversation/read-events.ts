import { ApiError } from "../../../api/error.ts";

/** Events of all dialects that say that a stream has failed. */
interface FailedEvent {
  readonly error?: StreamError | null;
  readonly response?: { readonly error?: StreamError | null };
}

interface StreamError {
  readonly message?: string;
  /** A text, or of Google a status. */
  readonly code?: string | number | null;
  readonly param?: string | null;
  readonly request_id?: string;
}

/** The events of a stream as they come, each the JSON of its data. @throws {ApiError} if one of them is an error */
export async function* readEvents(stream: ReadableStream<Uint8Array>): AsyncGenerator {
  for await (const data of readData(stream)) {
    if (data === "[DONE]") return;
    const event: unknown = JSON.parse(data);
    const { error, response } = event as FailedEvent;
    const failure = error ?? response?.error;
    if (failure) throw streamError(failure);
    yield event;
  }
}

function streamError({ message, code, param, request_id: requestId }: StreamError): ApiError {
  const name = typeof code === "string" ? code : null;
  return new ApiError(502, message ?? "The stream broke off.", name, param ?? null, requestId ?? null);
}

/** The data of server-sent events. */
async function* readData(stream: ReadableStream<Uint8Array>): AsyncGenerator<string> {
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
