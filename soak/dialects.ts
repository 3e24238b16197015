/** The public dialects. */
export type Dialect = "chat" | "messages" | "responses" | "gemini" | "embeddings";

export interface CallerRequest {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const json = { "content-type": "application/json" };

/** Creates a request in a dialect. */
export function requestIn(
  dialect: Dialect,
  { key, model, text, stream }: { readonly key: string; model: string; text: string; stream: boolean },
): CallerRequest {
  const bearer = { ...json, authorization: `Bearer ${key}` };
  const messages = [{ role: "user", content: text }];
  const streamed = stream ? { stream: true } : {};
  switch (dialect) {
    case "chat": {
      const usage = stream ? { stream_options: { include_usage: true } } : {};
      const body = JSON.stringify({ model, messages, max_tokens: 200, ...streamed, ...usage });
      return { path: "/v1/chat/completions", headers: bearer, body };
    }
    case "messages": {
      const headers = { ...json, "x-api-key": key, "anthropic-version": "2023-06-01" };
      return { path: "/v1/messages", headers, body: JSON.stringify({ model, messages, max_tokens: 200, ...streamed }) };
    }
    case "responses": {
      const body = JSON.stringify({ model, input: text, max_output_tokens: 200, store: false, ...streamed });
      return { path: "/v1/responses", headers: bearer, body };
    }
    case "gemini": {
      const action = stream ? "streamGenerateContent?alt=sse" : "generateContent";
      const headers = { ...json, "x-goog-api-key": key };
      const body = JSON.stringify({ contents: [{ role: "user", parts: [{ text }] }] });
      return { path: `/v1beta/models/${model}:${action}`, headers, body };
    }
    case "embeddings":
      return { path: "/v1/embeddings", headers: bearer, body: JSON.stringify({ model, input: text }) };
  }
}
