/** The endpoints as records name them, with a body that stands for one of theirs. */

interface EndpointSample {
  /** How the router knows it. */
  readonly name: string;
  readonly body: (model: string) => Readonly<Record<string, unknown>>;
}

const words = "Hello!";
const messages = [{ role: "user", content: words }];

const samples: Readonly<Record<string, EndpointSample>> = {
  "/v1/chat/completions": { name: "chat", body: (model) => ({ model, messages }) },
  "/v1/responses": { name: "responses", body: (model) => ({ model, input: words }) },
  "/v1/messages": { name: "messages", body: (model) => ({ model, max_tokens: 1024, messages }) },
  "/v1beta/models/generateContent": {
    name: "generate_content",
    body: (model) => ({ model, contents: [{ role: "user", parts: [{ text: words }] }] }),
  },
  "/v1/completions": { name: "completions", body: (model) => ({ model, prompt: words }) },
  "/v1/embeddings": { name: "embeddings", body: (model) => ({ model, input: words }) },
  "/v1/search": { name: "search", body: (model) => ({ query: words, backend: model }) },
  "/v1/fetch": { name: "fetch", body: () => ({ urls: ["https://example.com"] }) },
  "/v1/images/generations": { name: "images_generations", body: (model) => ({ model, prompt: words }) },
  "/v1/audio/speech": { name: "audio_speech", body: (model) => ({ model, voice: "alloy", input: words }) },
  "/v1/videos": { name: "videos", body: (model) => ({ model, prompt: words, seconds: "4" }) },
};

/** Those whose bodies are forms: there is no sample of them. */
const forms = ["/v1/images/edits", "/v1/audio/transcriptions", "/v1/audio/translations"];

export const endpointPaths: readonly string[] = [...Object.keys(samples), ...forms];

/** A sample of an endpoint; null if its requests are no JSON. */
export function sampleOf(endpoint: string): EndpointSample | null {
  return (
    samples[endpoint] ??
    (endpoint.includes("enerateContent") ? (samples["/v1beta/models/generateContent"] ?? null) : null)
  );
}

/** The same by the name of the endpoint. */
export function sampleFor(name: string): EndpointSample | null {
  return Object.values(samples).find((sample) => sample.name === name) ?? null;
}

/** The same with its path. */
export function samplePathFor(name: string): (EndpointSample & { readonly path: string }) | null {
  const [path, sample] = Object.entries(samples).find(([, each]) => each.name === name) ?? [];
  return path === undefined || sample === undefined ? null : { path, ...sample };
}
