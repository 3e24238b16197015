import type { Dialect, Operation } from "../dialect.ts";
import type { Failure } from "../refusal.ts";
import { writeElevenLabsError } from "./errors.ts";
import { readSpeechCall } from "./speech-call.ts";
import { readTranscriptionCall } from "./transcription-call.ts";

const speechPath = /^\/v1\/text-to-speech\/([^/]+)(\/stream)?$/;

const transcriptionPath = "/v1/speech-to-text";

/** ElevenLabs' text to speech, whole and streamed, its transcripts, and its list of models. */
export const elevenlabs: Dialect = {
  name: "elevenlabs",

  route(method, path, headers) {
    const key = headers["xi-api-key"];
    const [, voice] = speechPath.exec(path) ?? [];
    if (voice === undefined && path !== transcriptionPath) {
      const isList = path === "/v1/models" && method === "GET" && key !== undefined;
      return isList ? { kind: "read", answer: ({ ids }) => ids.map((id) => ({ model_id: id, name: id })) } : null;
    }
    if (method !== "POST") return refuse(405, "Method Not Allowed", null);
    if (key === undefined)
      return refuse(401, "Neither authorization header nor xi-api-key received.", "needs_authorization");
    if (key.startsWith("wrong")) return refuse(401, "Invalid API key", "invalid_api_key");
    if (voice === undefined) {
      const contentType = headers["content-type"] ?? "";
      return { kind: "receive", read: (body) => readTranscriptionCall(body, contentType) };
    }
    return { kind: "generate", read: (body, _memory, query) => readSpeechCall(body, decodeURIComponent(voice), query) };
  },

  // Checked with the path: the vendor takes it in one place only.
  credential: () => null,
  takesAnyCredential: true,
  headers: (requestId) => ({ "request-id": requestId }),
  writeError: writeElevenLabsError,
};

function refuse(status: number, message: string, code: Failure["code"]): Operation {
  return { kind: "refuse", failure: { status, message, code, param: null } };
}
