import { asJsonArray } from "../dialects/gemini/array-stream.ts";
import { modelPath } from "../dialects/gemini/fields.ts";
import { geminiArrayCodec, geminiCodec } from "../dialects/gemini/codec.ts";
import { encodeGeminiError } from "../dialects/gemini/errors.ts";
import type { CallerVoice, ReadContext } from "../pipeline/endpoint.ts";
import { conversationEndpoint } from "./conversation.ts";

/** How the gateway speaks on Google's paths. */
export const geminiVoice: CallerVoice = { errorBody: encodeGeminiError, idHeader: "x-request-id" };

/** `{model}:{action}`, where the model may hold slashes and colons and begin with `models/`. */
const addressPattern = /\/v1(?:beta)?\/models\/(?:models\/)?(.+):(\w+)$/;

interface Address {
  readonly model: string;
  readonly action: string;
  /** `alt=sse`: a stream of events; without it a stream is one JSON array. */
  readonly asEvents: boolean;
}

/** What a URL asks of which model; null where it is no such URL. */
export function addressOf(url: string): Address | null {
  const { pathname, searchParams } = new URL(url);
  const match = addressPattern.exec(decoded(pathname));
  return match && { model: match[1] ?? "", action: match[2] ?? "", asEvents: searchParams.get("alt") === "sse" };
}

/** The path as it was meant; one that is badly escaped is taken as it is written. */
function decoded(pathname: string): string {
  try {
    return decodeURIComponent(pathname);
  } catch {
    return pathname;
  }
}

/** What stands in the URL of a request, not in its body. */
export function addressIn({ url }: ReadContext) {
  const address = addressOf(url);
  return { model: address?.model ?? "", stream: address?.action === "streamGenerateContent" };
}

/** `POST /v1beta/models/{model}:generateContent` and `:streamGenerateContent` */
export const generateContent = conversationEndpoint({
  name: "generate_content",
  dialect: "gemini",
  keyHeader: "x-goog-api-key",
  voice: geminiVoice,
  address: addressIn,
  callerCodec: ({ url }) => (addressOf(url)?.asEvents === false ? geminiArrayCodec : geminiCodec).caller,
  upstream: ({ stream, text }, target) => ({
    dialect: "gemini",
    method: "POST",
    path: `${modelPath(target.model)}:${stream ? "streamGenerateContent?alt=sse" : "generateContent"}`,
    headers: { "content-type": "application/json" },
    body: text,
  }),
  // The end of the connection is the last word.
  isLastWord: () => false,
  reframe: (stream, { url }) => (addressOf(url)?.asEvents === false ? asJsonArray(stream) : stream),
});
