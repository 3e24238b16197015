import type { CallableTool, GenerateContentResponse, GoogleGenAI } from "@google/genai";
import type { Cell, Client } from "../client.ts";
import { importSettings, type Library, libraryCases, ownPackage, type TellWeather, weatherTool } from "../library.ts";

const connect = async (cell: Cell) =>
  (await importSettings<{ readonly client: GoogleGenAI }>(cell, "Google Gen AI SDK", "ts")).client;

const chats: Library = {
  async ask(cell, prompt, streamed) {
    const chat = (await connect(cell)).chats.create({ model: cell.model, config: { abortSignal: cell.signal } });
    if (!streamed) return said([await chat.sendMessage({ message: prompt })]);
    return said(await Array.fromAsync(await chat.sendMessageStream({ message: prompt })));
  },
  async runTools(cell, prompt, streamed, tellWeather) {
    const config = { abortSignal: cell.signal, tools: [callable(tellWeather)] };
    const chat = (await connect(cell)).chats.create({ model: cell.model, config });
    if (!streamed) return said([await chat.sendMessage({ message: prompt })]).text;
    return said(await Array.fromAsync(await chat.sendMessageStream({ message: prompt }))).text;
  },
};

/** A tool that the SDK calls itself. */
function callable(tellWeather: TellWeather): CallableTool {
  const { name, description, schema } = weatherTool;
  const declaration = { name, description, parametersJsonSchema: schema };
  return {
    tool: () => Promise.resolve({ functionDeclarations: [declaration] }),
    callTool: (calls) =>
      Promise.resolve(
        calls.map(({ id, name: called = "", args }) => ({
          functionResponse: {
            ...(id === undefined ? {} : { id }),
            name: called,
            response: { output: tellWeather(args) },
          },
        })),
      ),
  };
}

/** Counts repeat and grow in a stream: the last one counts. */
function said(chunks: readonly GenerateContentResponse[]) {
  const texts = chunks.map(({ candidates }) =>
    (candidates?.[0]?.content?.parts ?? []).map(({ text, thought }) => (thought ? "" : (text ?? ""))).join(""),
  );
  const usage = chunks.findLast(({ usageMetadata }) => usageMetadata)?.usageMetadata;
  return {
    text: texts.join(""),
    inputTokens: usage?.promptTokenCount ?? -1,
    outputTokens: (usage?.candidatesTokenCount ?? 0) + (usage?.thoughtsTokenCount ?? 0),
    pieces: texts.filter((text) => text !== "").length,
  };
}

/** Google's SDK for JavaScript, with its chats and automatic function calling. */
export const client: Client = {
  name: "google",
  title: "Google Gen AI SDK",
  install: () => ownPackage("@google/genai"),
  cases: libraryCases(chats),
};
