import type { Dialect, Operation } from "../dialect.ts";
import type { Failure } from "../refusal.ts";
import { readSpeechCall } from "./speech-call.ts";

/** Deepgram's text to speech. */
export const deepgram: Dialect = {
  name: "deepgram",

  route(method, path, headers) {
    if (path !== "/v1/speak") return null;
    if (method !== "POST") return refuse(405, "METHOD_NOT_ALLOWED", "Only POST is allowed.");
    const [, key] = /^Token (\S+)$/.exec(headers["authorization"] ?? "") ?? [];
    if (key === undefined || key.startsWith("wrong")) return refuse(401, "INVALID_AUTH", "Invalid credentials.");
    return { kind: "generate", read: (body, _memory, query) => readSpeechCall(body, query) };
  },

  // Checked with the path: only the scheme `Token` is good.
  credential: () => null,
  takesAnyCredential: true,
  headers: (requestId) => ({ "dg-request-id": requestId }),
  writeError: ({ code, message }) =>
    JSON.stringify({ err_code: code ?? "Bad Request", err_msg: message, request_id: "0" }),
};

function refuse(status: number, code: Failure["code"], message: string): Operation {
  return { kind: "refuse", failure: { status, message, code, param: null } };
}
