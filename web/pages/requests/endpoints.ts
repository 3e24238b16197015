/** The endpoints as records name them, with a request that stands for one of theirs. */

interface EndpointSample {
  /** How the router knows it. */
  readonly name: string;
  readonly path: (model: string) => string;
  /** JSON, or the form of an endpoint that takes files. */
  readonly body: (model: string) => Readonly<Record<string, unknown>> | FormData;
}

const words = "Hello!";
const messages = [{ role: "user", content: words }];
const contents = [{ role: "user", parts: [{ text: words }] }];

const samples: readonly EndpointSample[] = [
  fixed("/v1/chat/completions", "chat", (model) => ({ model, messages })),
  fixed("/v1/responses", "responses", (model) => ({ model, input: words })),
  fixed("/v1/messages", "messages", (model) => ({ model, max_tokens: 1024, messages })),
  {
    name: "generate_content",
    path: (model) => `/v1beta/models/${model.split("/").map(encodeURIComponent).join("/")}:generateContent`,
    body: () => ({ contents }),
  },
  fixed("/v1/completions", "completions", (model) => ({ model, prompt: words })),
  fixed("/v1/embeddings", "embeddings", (model) => ({ model, input: words })),
  fixed("/v1/search", "search", (backend) => ({ query: words, backend })),
  fixed("/v1/fetch", "fetch", (backend) => ({ urls: ["https://example.com"], backend })),
  fixed("/v1/images/generations", "images_generations", (model) => ({ model, prompt: words })),
  fixed("/v1/audio/speech", "audio_speech", (model) => ({ model, voice: "alloy", input: words })),
  fixed("/v1/videos", "videos", (model) => ({ model, prompt: words, seconds: "4" })),
  fixed("/v1/images/edits", "images_edits", (model) => formOf({ model, prompt: words }, "image", "picture.png")),
  fixed("/v1/audio/transcriptions", "audio_transcriptions", (model) => formOf({ model }, "file", "speech.wav")),
  fixed("/v1/audio/translations", "audio_translations", (model) => formOf({ model }, "file", "speech.wav")),
];

function fixed(path: string, name: string, body: EndpointSample["body"]): EndpointSample {
  return { name, path: () => path, body };
}

function formOf(fields: Readonly<Record<string, string>>, name: string, file: string): FormData {
  const form = new FormData();
  for (const [field, value] of Object.entries(fields)) form.set(field, value);
  form.set(name, new File([], file));
  return form;
}

/** Endpoints whose path is the same for all models. */
export const endpointPaths: readonly string[] = samples.flatMap(({ name, path }) =>
  name === "generate_content" ? [] : [path("")],
);

/** A request for an endpoint. */
export interface Sample {
  readonly name: string;
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>> | FormData;
}

/** Endpoints at which a field of the body asks for a stream. */
const streamed = ["chat", "responses", "messages", "completions"];

interface RecordedRequest {
  readonly endpoint: string;
  readonly model: string;
  readonly stream: boolean;
}

/** A request like that of a record. Null if there is no sample of its endpoint. */
export function sampleOf({ endpoint, model, stream }: RecordedRequest): Sample | null {
  const sample = /:(stream)?generateContent$/i.test(endpoint)
    ? samples.find(({ name }) => name === "generate_content")
    : samples.find(({ path }) => path(model) === endpoint);
  if (!sample) return null;
  const { name } = sample;
  const body = sample.body(model);
  const asksForStream = stream && streamed.includes(name) && !(body instanceof FormData);
  return { name, path: endpoint, body: asksForStream ? { ...body, stream } : body };
}

/** A request for the endpoint of a name. Null if there is no sample of it. */
export function sampleFor(name: string, model: string): Sample | null {
  const sample = samples.find((each) => each.name === name);
  return sample ? { name, path: sample.path(model), body: sample.body(model) } : null;
}

/** A request as the router takes it to explain it: a model of the path stands in the body. Null if it is a form. */
export function explainableOf({ name, body }: Sample, model: string): Readonly<Record<string, unknown>> | null {
  if (body instanceof FormData) return null;
  return name === "generate_content" ? { model, ...body } : body;
}
