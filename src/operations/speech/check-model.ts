import { invalidParameter } from "../../errors.ts";
import type { Model } from "../../routing/names/model.ts";
import type { CapabilityUse } from "../operation.ts";
import type { SpeechRequest } from "./speech.ts";

/** OpenAI's limit of `input`, in Unicode code points. A model may declare another one as `max_characters`. */
const usualMaxCharacters = 4_096;

/** Refuses what a model has not declared among its voices, formats and limits. Throws a 400 that names the field. */
export function checkSpeechModel(request: SpeechRequest, { id, parameters }: Model): void {
  const { max_characters: declared, voices, formats } = parameters;
  const max = typeof declared === "number" ? declared : usualMaxCharacters;
  if (request.characters > max) throw invalidParameter("input", `at most ${max} characters for the model '${id}'`);
  checkDeclared("voice", request.voice, voices);
  if (request.format !== undefined) checkDeclared("response_format", request.format, formats);
}

function checkDeclared(field: string, value: string, declared: Model["parameters"][string] | undefined): void {
  if (typeof declared !== "object" || declared.includes(value)) return;
  throw invalidParameter(field, `one of ${declared.join(", ")}`);
}

/** The capabilities that a request needs of a model. */
export function speechCapabilities({ instructions, speed, stream }: SpeechRequest): readonly CapabilityUse[] {
  const uses: CapabilityUse[] = [];
  if (instructions !== undefined) uses.push({ capability: "instructions", field: "instructions" });
  if (speed !== undefined && speed !== 1) uses.push({ capability: "speed", field: "speed" });
  if (stream) uses.push({ capability: "sse", field: "stream_format" });
  return uses;
}
