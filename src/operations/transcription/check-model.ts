import { invalidParameter } from "../../errors.ts";
import type { Model } from "../../routing/names/model.ts";
import type { CapabilityUse } from "../operation.ts";
import type { TranscriptionRequest } from "./transcription.ts";

/** Refuses what a model has not declared among its languages, formats and limits. Throws a 400 that names the field. */
export function checkTranscriptionModel(request: TranscriptionRequest, { id, parameters }: Model): void {
  const { max_file_bytes: maxBytes, languages, formats } = parameters;
  if (typeof maxBytes === "number" && request.file.size > maxBytes) {
    throw invalidParameter("file", `at most ${maxBytes} bytes for the model '${id}'`);
  }
  checkDeclared("response_format", request.format, formats);
  if (request.language !== undefined) checkDeclared("language", request.language, languages);
}

function checkDeclared(field: string, value: string, declared: Model["parameters"][string] | undefined): void {
  if (typeof declared !== "object" || declared.includes(value)) return;
  throw invalidParameter(field, `one of ${declared.join(", ")}`);
}

/** The capabilities that a request needs of a model. */
export function transcriptionCapabilities(request: TranscriptionRequest): readonly CapabilityUse[] {
  const uses: CapabilityUse[] = [];
  if (request.prompt !== undefined) uses.push({ capability: "prompt", field: "prompt" });
  if (request.temperature !== undefined) uses.push({ capability: "temperature", field: "temperature" });
  if (request.stream) uses.push({ capability: "streaming", field: "stream" });
  if (request.granularities.length > 0) {
    uses.push({ capability: "timestamp_granularities", field: "timestamp_granularities" });
  }
  return uses;
}
