import { listOrEmpty, objectOrEmpty, type JsonObject } from "../json.ts";
import type { Reply } from "../reply.ts";
import type { Script } from "../script/script.ts";
import { spokenText } from "../sound/speech-call.ts";
import { secondsOf, tonesOf } from "../sound/tones.ts";
import { writeSound } from "../sound/write-sound.ts";
import { invalidArgument } from "./check-shape.ts";
import { common } from "./write-answer.ts";

/** Tokens that a second of sound is counted as. */
const tokensPerSecond = 25;

/** Models that put their sound into a container by themselves, if the request does not name another. */
const speaksWav = /gemini-3\.8|^sandbox-/;

/** Whether a checked request asks for sound. Throws Google's error if it asks for it wrongly. */
export function asksForSpeech(request: JsonObject): boolean {
  const config = objectOrEmpty(request["generationConfig"]);
  const modalities = listOrEmpty(config["responseModalities"]);
  if (!modalities.includes("AUDIO")) return false;
  if (modalities.length > 1)
    throw invalidArgument("The requested combination of response modalities is not supported.");
  if (request["systemInstruction"] !== undefined) {
    throw invalidArgument("Developer instruction is not enabled for this model.", "system_instruction");
  }
  return true;
}

/** The text of a request as sound: one inline part, raw samples or WAV. */
export function writeSpeech(request: JsonObject, reply: Reply, { usage, tokens }: Script): unknown {
  const config = objectOrEmpty(request["generationConfig"]);
  const asked = objectOrEmpty(objectOrEmpty(config["responseFormat"])["audio"])["mimeType"];
  const isWav = asked === "AUDIO_WAV" || (asked === undefined && speaksWav.test(reply.model));
  const said = spokenText(textOf(request));
  const bytes = Buffer.concat([...writeSound(said, isWav ? "wav" : "pcm").parts]);
  const output = tokens?.output ?? Math.ceil(secondsOf(tonesOf(said)) * tokensPerSecond);
  const input = tokens?.input ?? reply.tokens.input;
  const counts = {
    promptTokenCount: input,
    candidatesTokenCount: output,
    totalTokenCount: input + output,
    promptTokensDetails: [{ modality: "TEXT", tokenCount: input }],
    candidatesTokensDetails: [{ modality: "AUDIO", tokenCount: output }],
  };
  const usageMetadata = usage === null || usage === "none" ? undefined : typeof usage === "object" ? usage : counts;
  const mimeType = isWav ? "audio/wav" : "audio/L16;codec=pcm;rate=24000";
  const part = { inlineData: { mimeType, data: bytes.toString("base64") } };
  return {
    candidates: [{ content: { parts: [part], role: "model" }, finishReason: "STOP", index: 0 }],
    usageMetadata,
    ...common(reply),
  };
}

function textOf(request: JsonObject): string {
  return listOrEmpty(request["contents"])
    .flatMap((content) => listOrEmpty(objectOrEmpty(content)["parts"]))
    .map((part) => objectOrEmpty(part)["text"])
    .filter((text) => typeof text === "string")
    .join("\n");
}
