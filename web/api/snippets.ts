/** Ready code for SDKs. What a user has typed stands in it as a literal of the language. */
import { formSnippets } from "./form-snippets.ts";
import { jsonSnippets } from "./json-snippets.ts";

export interface SnippetRequest {
  readonly path: string;
  /** JSON, or a form. */
  readonly body?: Readonly<Record<string, unknown>> | FormData;
}

/** The same request for a shell, Python and TypeScript. @param key the key, or what stands for it */
export function requestSnippets({ path, body = {} }: SnippetRequest, key: string, origin: string) {
  const url = `${origin}${path}`;
  return body instanceof FormData ? formSnippets(url, body, key) : jsonSnippets(url, body, key);
}

/** A first chat through the SDKs of the vendors, each with the endpoint that it calls. */
export function sdkSnippets(model: string, key: string, origin: string) {
  const name = JSON.stringify(model);
  const body = { model, messages: [{ role: "user", content: "Hello!" }] };
  const [curl] = jsonSnippets(`${origin}/v1/chat/completions`, body, key);
  return [
    { endpoint: "chat", ...curl },
    {
      endpoint: "chat",
      name: "OpenAI Python",
      text: `from openai import OpenAI

client = OpenAI(base_url="${origin}/v1", api_key="${key}")
answer = client.chat.completions.create(
    model=${name},
    messages=[{"role": "user", "content": "Hello!"}],
)
print(answer.choices[0].message.content)`,
    },
    {
      endpoint: "chat",
      name: "OpenAI TypeScript",
      text: `import OpenAI from "openai";

const client = new OpenAI({ baseURL: "${origin}/v1", apiKey: "${key}" });
const answer = await client.chat.completions.create({
  model: ${name},
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(answer.choices[0]?.message.content);`,
    },
    {
      endpoint: "messages",
      name: "Anthropic",
      text: `import Anthropic from "@anthropic-ai/sdk";

const client = new Anthropic({ baseURL: "${origin}", apiKey: "${key}" });
const answer = await client.messages.create({
  model: ${name},
  max_tokens: 1024,
  messages: [{ role: "user", content: "Hello!" }],
});
console.log(answer.content);`,
    },
    {
      endpoint: "generate_content",
      name: "Google",
      text: `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: "${key}", httpOptions: { baseUrl: "${origin}" } });
const answer = await client.models.generateContent({ model: ${name}, contents: "Hello!" });
console.log(answer.text);`,
    },
    {
      endpoint: "chat",
      name: "Vercel AI",
      text: `import { createOpenAICompatible } from "@ai-sdk/openai-compatible";
import { generateText } from "ai";

const tollgate = createOpenAICompatible({
  name: "tollgate",
  baseURL: "${origin}/v1",
  apiKey: "${key}",
});
const { text } = await generateText({ model: tollgate(${name}), prompt: "Hello!" });
console.log(text);`,
    },
  ];
}
