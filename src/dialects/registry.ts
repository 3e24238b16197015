import { anthropicMessages } from "./anthropic-messages/dialect.ts";
import { deepgram } from "./deepgram/dialect.ts";
import { createDialects } from "./dialect.ts";
import { elevenlabs } from "./elevenlabs/dialect.ts";
import { fal } from "./fal/dialect.ts";
import { gemini } from "./gemini/dialect.ts";
import { openaiChat } from "./openai-chat/dialect.ts";
import { openaiResponses } from "./openai-responses/dialect.ts";
import { replicate } from "./replicate/dialect.ts";
import { searchDialects } from "../search/dialects.ts";

/** Every dialect that Tollgate speaks: one line each. Paths, scopes, configuration words and docs are made from it. */
export const dialects = createDialects([
  openaiChat,
  openaiResponses,
  anthropicMessages,
  gemini,
  elevenlabs,
  deepgram,
  fal,
  replicate,
  ...searchDialects,
]);

const operations = dialects.all.flatMap((dialect) => dialect.operations);

/** The names of all endpoints that some dialect serves, and those of the gateway's own paths, as scopes write them. */
export const endpointNames: readonly string[] = [...new Set([...operations.map(({ endpoint }) => endpoint), "files"])];

/** Those that models serve, as the catalog and the configuration write them. */
export const modelEndpointNames: readonly string[] = [
  ...new Set(operations.filter(({ names }) => names === undefined).map(({ endpoint }) => endpoint)),
];

/** The names of the dialects that providers of models speak, as the configuration writes them. */
export const dialectNames: readonly string[] = dialects.all
  .filter(({ provides }) => Object.keys(provides).some((half) => half !== "search"))
  .map(({ name }) => name);

/** The vendor's own address of a dialect; null if there is none, or no such dialect. */
export function defaultBaseUrl(name: string | undefined): string | null {
  return dialects.all.find((dialect) => dialect.name === name)?.defaultBaseUrl ?? null;
}
