import { anthropicMessages } from "./anthropic-messages/dialect.ts";
import { createDialects } from "./dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { openaiChat } from "./openai-chat/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";

/** Every dialect that Tollgate speaks: one line each. Paths, scopes, configuration words and docs are made from it. */
export const dialects = createDialects([openaiChat, openaiResponses, anthropicMessages, gemini]);

/** The names of all endpoints that some dialect serves, as scopes, the catalog and the configuration write them. */
export const endpointNames: readonly string[] = [
  ...new Set(dialects.all.flatMap(({ operations }) => operations.map(({ endpoint }) => endpoint))),
];

/** The names of all dialects, as the configuration writes them. */
export const dialectNames: readonly string[] = dialects.all.map(({ name }) => name);

/** The vendor's own address of a dialect; null if there is none, or no such dialect. */
export function defaultBaseUrl(name: string | undefined): string | null {
  return dialects.all.find((dialect) => dialect.name === name)?.defaultBaseUrl ?? null;
}
