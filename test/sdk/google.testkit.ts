import { GoogleGenAI, type Content, type GenerateContentConfig, type GenerateContentResponse } from "@google/genai";
import { person, resultOf, weather, type Ask, type Said, type Sdk } from "./session.testkit.ts";

/** The Google Gen AI SDK. */
export const googleSdk: Sdk = {
  name: "google genai",
  gaps: {},
  errorName: () => "ApiError",
  connect({ url, key, fetch }) {
    const client = new GoogleGenAI({ apiKey: key, httpOptions: { baseUrl: url, fetch } });
    const create = async (ask: Ask, contents: Content[]) =>
      said([await client.models.generateContent({ model: ask.model, contents, config: configOf(ask) })]);
    const stream = async (ask: Ask, contents: Content[]) => {
      const running = await client.models.generateContentStream({ model: ask.model, contents, config: configOf(ask) });
      return said(await Array.fromAsync(running));
    };
    return {
      async embed(model, contents) {
        return ((await client.models.embedContent({ model, contents })).embeddings ?? []).map(
          ({ values }) => values ?? [],
        );
      },
      ask: (ask) => create(ask, firstTurn(ask)),
      stream: (ask) => stream(ask, firstTurn(ask)),
      async loop(ask, streamed) {
        const turn = streamed ? stream : create;
        const { content } = await turn(ask, firstTurn(ask));
        const calls = (content.parts ?? []).flatMap(({ functionCall }) => functionCall ?? []);
        const parts = calls.map(({ id, name }, place) => ({
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name: name ?? "",
            response: { output: resultOf(place) },
          },
        }));
        const { text } = await turn(ask, [...firstTurn(ask), content, { role: "user", parts }]);
        return { calls: calls.map((call) => call.args), text };
      },
      async person(ask) {
        const config = { ...configOf(ask), responseMimeType: "application/json", responseJsonSchema: person };
        const answer = await client.models.generateContent({ model: ask.model, contents: firstTurn(ask), config });
        return JSON.parse(answer.text ?? "") as unknown;
      },
      async count(ask) {
        const { totalTokens } = await client.models.countTokens({ model: ask.model, contents: firstTurn(ask) });
        return totalTokens ?? -1;
      },
      async leave(ask) {
        const leaving = new AbortController();
        const config = { ...configOf(ask), abortSignal: leaving.signal };
        const running = await client.models.generateContentStream({
          model: ask.model,
          contents: firstTurn(ask),
          config,
        });
        for await (const chunk of running) if (chunk.text) break;
        leaving.abort();
      },
    };
  },
};

function firstTurn({ prompt, image }: Ask): Content[] {
  const picture = image === undefined ? [] : [{ inlineData: { mimeType: "image/png", data: image } }];
  return [{ role: "user", parts: [{ text: prompt }, ...picture] }];
}

function configOf({ tools, reasoning }: Ask): GenerateContentConfig {
  const { name, description, schema } = weather;
  return {
    ...(tools === true
      ? { tools: [{ functionDeclarations: [{ name, description, parametersJsonSchema: schema }] }] }
      : {}),
    ...(reasoning === true ? { thinkingConfig: { includeThoughts: true, thinkingBudget: 2_048 } } : {}),
  };
}

/** Joins chunks to one answer. Counts repeat and grow: the last one counts. */
function said(chunks: readonly GenerateContentResponse[]): Said & { readonly content: Content } {
  const parts = chunks.flatMap((chunk) => chunk.candidates?.[0]?.content?.parts ?? []);
  const usage = chunks.findLast((chunk) => chunk.usageMetadata)?.usageMetadata;
  const texts = parts.filter((part) => part.text !== undefined && part.text !== "" && part.thought !== true);
  const thoughts = parts.filter((part) => part.thought === true);
  return {
    content: { role: "model", parts },
    text: texts.map((part) => part.text).join(""),
    reasoning: thoughts.map((part) => part.text).join(""),
    input: usage?.promptTokenCount ?? -1,
    output: (usage?.candidatesTokenCount ?? -1) + (usage?.thoughtsTokenCount ?? 0),
    pieces: texts.length,
  };
}
