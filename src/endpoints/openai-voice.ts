import { errorEnvelope } from "../errors.ts";
import type { CallerVoice } from "../pipeline/endpoint.ts";

const encoder = new TextEncoder();

/** How the gateway speaks on OpenAI-shaped paths. */
export const openaiVoice: CallerVoice = {
  errorBody: errorEnvelope,
  keepAlive: encoder.encode(": keep-alive\n\n"),
  streamContentType: "text/event-stream; charset=utf-8",
};
