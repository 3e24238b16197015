import { type JsonObject, listOrEmpty, objectOrEmpty } from "../json.ts";
import { Refusal } from "../refusal.ts";
import { findDirectiveText } from "../script/directive-text.ts";
import { hear } from "../sound/hear.ts";
import { partsOf } from "./check-contents.ts";

const asksForTranscript = /^(transcribe|translate)\b/i;

/**
 * The script of a request that asks for a transcript of sound: it says what is heard, and obeys a directive that is spoken.
 * Null if the request asks for something else.
 */
export function transcriptDirectives(request: JsonObject): JsonObject | null {
  const parts = listOrEmpty(request["contents"]).flatMap(partsOf);
  const asks = parts.some((part) => typeof part["text"] === "string" && asksForTranscript.test(part["text"]));
  const sound = asks ? parts.map(soundOf).find((bytes) => bytes !== null) : undefined;
  if (!sound) return null;
  const { text } = hear(sound);
  const directive = findDirectiveText(text);
  return {
    text: directive?.remainingText ?? text,
    ...(directive !== null && parse(directive.json)),
    ...objectOrEmpty(request["sandbox"]),
  };
}

function soundOf(part: JsonObject): Uint8Array | null {
  const { mimeType, data } = objectOrEmpty(part["inlineData"]);
  const isSound = typeof mimeType === "string" && /^(audio|video)\//.test(mimeType);
  return isSound && typeof data === "string" ? Buffer.from(data, "base64") : null;
}

function parse(json: string): JsonObject {
  try {
    return objectOrEmpty(JSON.parse(json));
  } catch {
    throw new Refusal(400, "Invalid sandbox directive: what was spoken is not JSON.");
  }
}
