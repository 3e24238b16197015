import type { Support } from "../../conversation/fields/support.ts";
import { unsupportedParameter } from "../../errors.ts";
import type { TranscriptionCapabilities, TranscriptionRequest } from "./transcription.ts";

type FieldCapability = "language" | "prompt" | "temperature" | "granularities" | "include" | "chunking" | "speakers";

/** Which capability each of OpenAI's fields asks for; null if another check looks at it. */
const knownFields: Readonly<Record<string, FieldCapability | null>> = {
  response_format: null,
  stream: null,
  language: "language",
  prompt: "prompt",
  temperature: "temperature",
  timestamp_granularities: "granularities",
  include: "include",
  chunking_strategy: "chunking",
  known_speaker_names: "speakers",
  known_speaker_references: "speakers",
};

/**
 * Holds a request against what a provider can do: the one place that decides on refusing and warning.
 * Throws a 400 that names the field.
 * @returns the names of the caller's fields that the provider will not see
 */
export function fitTranscription(
  request: TranscriptionRequest,
  capabilities: TranscriptionCapabilities,
): readonly string[] {
  const { maxFileBytes, formats, translation, events, otherFields } = capabilities;
  if (maxFileBytes !== null && request.file.size > maxFileBytes) {
    throw unsupportedParameter("file", `This provider takes at most ${maxFileBytes} bytes.`);
  }
  const warnings = new Set<string>();
  const check = (field: string, support: Support): void => {
    if (support.status === "refused") throw unsupportedParameter(field, support.why);
    if (support.status === "ignored") warnings.add(field);
  };
  if (request.task === "translate") check("model", translation);
  check("response_format", formats[request.format]);
  if (request.stream) check("stream", events);
  for (const { name, value } of request.fields) {
    // `chunking_strategy[type]` is a part of `chunking_strategy`.
    const capability = knownFields[name.replace(/\[.*/, "")];
    if (value === "" || capability === null) continue;
    check(name, capability === undefined ? otherFields : capabilities[capability]);
  }
  return [...warnings];
}
