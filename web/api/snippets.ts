/** Ready code for SDKs. What a user has typed stands in it as a literal of the language. */

export interface SnippetRequest {
  readonly path: string;
  readonly body: Readonly<Record<string, unknown>>;
}

/** The same request for a shell, Python and TypeScript. @param key the key, or what stands for it */
export function requestSnippets({ path, body }: SnippetRequest, key: string, origin: string) {
  const json = JSON.stringify(body);
  return [
    { name: "curl", text: curl(`${origin}${path}`, json, key) },
    { name: "Python", text: python(`${origin}${path}`, json, key) },
    { name: "TypeScript", text: typescript(`${origin}${path}`, json, key) },
  ];
}

/** A first chat through the SDKs of the vendors. */
export function sdkSnippets(model: string, key: string, origin: string) {
  const name = JSON.stringify(model);
  const body = { model, messages: [{ role: "user", content: "Hello!" }] };
  return [
    { name: "curl", text: curl(`${origin}/v1/chat/completions`, JSON.stringify(body), key) },
    {
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
      name: "Google",
      text: `import { GoogleGenAI } from "@google/genai";

const client = new GoogleGenAI({ apiKey: "${key}", httpOptions: { baseUrl: "${origin}" } });
const answer = await client.models.generateContent({ model: ${name}, contents: "Hello!" });
console.log(answer.text);`,
    },
  ];
}

function curl(url: string, json: string, key: string): string {
  // A single quote ends a shell's literal.
  return `curl ${url} \\
  -H "Authorization: Bearer ${key}" \\
  -H "Content-Type: application/json" \\
  -d '${json.replaceAll("'", String.raw`'\''`)}'`;
}

function python(url: string, json: string, key: string): string {
  return `import json, urllib.request

request = urllib.request.Request(
    "${url}",
    data=json.dumps(json.loads(${JSON.stringify(json)})).encode(),
    headers={"Authorization": "Bearer ${key}", "Content-Type": "application/json"},
)
print(urllib.request.urlopen(request).read().decode())`;
}

function typescript(url: string, json: string, key: string): string {
  return `const response = await fetch("${url}", {
  method: "POST",
  headers: { Authorization: "Bearer ${key}", "Content-Type": "application/json" },
  body: JSON.stringify(${json}),
});
console.log(await response.json());`;
}
