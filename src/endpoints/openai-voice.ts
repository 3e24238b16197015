import { errorEnvelope } from "../errors.ts";
import type { CallerVoice } from "../pipeline/endpoint.ts";
import { dataEvent } from "../sse/event.ts";

const encoder = new TextEncoder();

/** How the gateway speaks on OpenAI-shaped paths. */
export const openaiVoice: CallerVoice = {
  errorBody: errorEnvelope,
  errorEvent: (error, requestId) => dataEvent(JSON.stringify(errorEnvelope(error, requestId))),
  keepAlive: encoder.encode(": keep-alive\n\n"),
  terminator: encoder.encode("data: [DONE]\n\n"),
  streamContentType: "text/event-stream; charset=utf-8",
};
