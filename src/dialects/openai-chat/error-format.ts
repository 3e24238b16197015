import { errorEnvelope } from "../../errors.ts";
import type { ErrorFormat } from "../../operations/operation.ts";

/** On OpenAI-shaped paths, and on the gateway's own. */
export const openaiErrorFormat: ErrorFormat = { errorBody: errorEnvelope, idHeader: "x-request-id" };
