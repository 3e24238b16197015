import type { Dialect, Operation } from "../dialect.ts";
import type { Failure } from "../refusal.ts";
import { readSpeechCall } from "./speech-call.ts";
import { readTranscriptionCall } from "./transcription-call.ts";

/** Deepgram's text to speech, its transcripts, and its list of models. */
export const deepgram: Dialect = {
  name: "deepgram",

  route(method, path, headers) {
    if (path === "/v1/models" && method === "GET" && headers["authorization"]?.startsWith("Token ") === true) {
      return { kind: "read", answer: ({ ids }) => listModels(ids) };
    }
    if (path !== "/v1/speak" && path !== "/v1/listen") return null;
    if (method !== "POST") return refuse(405, "METHOD_NOT_ALLOWED", "Only POST is allowed.");
    const [, key] = /^Token (\S+)$/.exec(headers["authorization"] ?? "") ?? [];
    if (key === undefined || key.startsWith("wrong")) return refuse(401, "INVALID_AUTH", "Invalid credentials.");
    if (path === "/v1/listen") {
      return { kind: "receive", read: (body, query) => readTranscriptionCall(body, query) };
    }
    return { kind: "generate", read: (body, _memory, query) => readSpeechCall(body, query) };
  },

  // Checked with the path: only the scheme `Token` is good.
  credential: () => null,
  takesAnyCredential: true,
  headers: (requestId) => ({ "dg-request-id": requestId }),
  writeError: ({ code, message }) =>
    JSON.stringify({ err_code: code ?? "Bad Request", err_msg: message, request_id: "0" }),
};

/** Every model is of both kinds. */
function listModels(ids: readonly string[]) {
  const models = ids.map((id) => ({
    name: id,
    canonical_name: id,
    architecture: "sandbox",
    languages: ["en"],
    uuid: id,
  }));
  return { stt: models, tts: models };
}

function refuse(status: number, code: Failure["code"], message: string): Operation {
  return { kind: "refuse", failure: { status, message, code, param: null } };
}
