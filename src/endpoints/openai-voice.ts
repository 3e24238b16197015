import { errorEnvelope } from "../errors.ts";
import type { CallerVoice } from "../pipeline/endpoint.ts";

/** How the gateway speaks on OpenAI-shaped and service paths. */
export const openaiVoice: CallerVoice = { errorBody: errorEnvelope, idHeader: "x-request-id" };
