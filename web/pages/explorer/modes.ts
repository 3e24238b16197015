import type { CatalogModel } from "../../api/types.ts";
import { type ConversationEndpoint, dialects } from "./conversation/dialects.ts";

/** What the explorer can try, and the endpoint that a model has to serve for it. Searches are asked of backends. */
const endpoints = {
  chat: "chat",
  messages: "messages",
  responses: "responses",
  generate_content: "generate_content",
  search: null,
  speech: "audio_speech",
  transcription: "audio_transcriptions",
  image: "images_generations",
  video: "videos",
} as const;

export type Mode = keyof typeof endpoints;

const modes = Object.keys(endpoints) as readonly Mode[];

export function modeOf(name: string | undefined): Mode {
  return modes.find((mode) => mode === name) ?? "chat";
}

/** The modes that some model serves. All of them while the catalog is not known. */
export function offeredModes(catalog: readonly CatalogModel[] | undefined): readonly Mode[] {
  if (catalog === undefined) return modes;
  const served = new Set(catalog.flatMap(({ supported_endpoint_types: types }) => types));
  return modes.filter((mode) => {
    const endpoint = endpoints[mode];
    return endpoint === null || served.has(endpoint);
  });
}

export function isConversation(mode: Mode): mode is ConversationEndpoint {
  return mode in dialects;
}
