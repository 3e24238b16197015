import { invalidParameter, invalidRequest } from "../../../errors.ts";
import { fieldNames, refuseOtherCase } from "../../../json/field-names.ts";
import type { FormFile, MultipartForm } from "../../../multipart/form.ts";
import {
  type TranscriptFormat,
  transcriptFormats,
  type TranscriptionRequest,
  type TranscriptionTask,
} from "../../../operations/transcription/transcription.ts";
import { readModelName } from "../../fields/model-name.ts";
import { optionalWord } from "../../fields/read-field.ts";
import { readFileSound } from "../../sound/file-sound.ts";

/** OpenAI's own bound. */
const maxSpeakers = 4;
/** As BCP 47 writes languages: `en`, `pt-BR`. */
const languageTag = /^[A-Za-z]{2,8}(-[A-Za-z0-9]{1,8}){0,8}$/;
const maxItems = 64;

const knownFields = fieldNames([
  "file",
  "model",
  "language",
  "prompt",
  "response_format",
  "temperature",
  "timestamp_granularities",
  "include",
  "stream",
  "chunking_strategy",
  "known_speaker_names",
  "known_speaker_references",
]);

/** Formats whose answer is one text or one object with times, which no events make up. */
const wholeFormats: ReadonlySet<TranscriptFormat> = new Set(["srt", "vtt", "verbose_json"]);

/** Reads a form that asks for a transcript. Throws a 400 that names the field. */
export async function readTranscriptionForm(
  form: MultipartForm,
  task: TranscriptionTask,
): Promise<TranscriptionRequest> {
  refuseOtherCase(Object.fromEntries(form.allFields.map(({ name, value }) => [name, value])), knownFields);
  const model = readModelName(form.field("model") ?? undefined);
  const file = form.file("file");
  for (const name of form.names) if (name !== "file") checkField(form, name);
  const stream = readFlag(form, "stream");
  const format = readFormat(form, task);
  if (stream && wholeFormats.has(format)) throw invalidParameter("stream", `false with response_format ${format}`);
  const language = given(form, "language");
  if (language !== undefined && !languageTag.test(language)) {
    throw invalidParameter("language", "the tag of a language, such as en or pt-BR");
  }
  checkSpeakers(form);
  const request = {
    model,
    stream,
    task,
    file,
    fields: form.allFields.filter(({ name }) => name !== "model"),
    format,
    language,
    prompt: given(form, "prompt"),
    temperature: readTemperature(form),
    granularities: readGranularities(form),
  };
  checkType(file);
  return { ...request, sound: await readFileSound({ size: file.size, stream: file.pass }) };
}

/** A further file is refused, and so is a list without end. */
function checkField(form: MultipartForm, name: string): void {
  if (form.fields(name).length > maxItems) throw invalidParameter(name, `at most ${maxItems} values`);
}

/** The value of a field that is there once; undefined if it is absent or empty. */
function given(form: MultipartForm, name: string): string | undefined {
  const value = form.field(name) ?? "";
  return value === "" ? undefined : value;
}

function readFlag(form: MultipartForm, name: string): boolean {
  const word = optionalWord(given(form, name)?.toLowerCase(), name, ["true", "false", "1", "0"]);
  return word === "true" || word === "1";
}

function readFormat(form: MultipartForm, task: TranscriptionTask): TranscriptFormat {
  const formats =
    task === "translate" ? transcriptFormats.filter((name) => name !== "diarized_json") : transcriptFormats;
  return optionalWord(given(form, "response_format"), "response_format", formats) ?? "json";
}

function readTemperature(form: MultipartForm): number | undefined {
  const value = given(form, "temperature");
  if (value === undefined) return undefined;
  const temperature = /^\d{0,3}(\.\d{1,20})?$/.test(value) ? Number(value) : NaN;
  if (temperature >= 0 && temperature <= 1) return temperature;
  throw invalidParameter("temperature", "a number from 0 to 1");
}

function readGranularities(form: MultipartForm): readonly string[] {
  const name = "timestamp_granularities";
  return form.fields(name).flatMap((value) => optionalWord(value, name, ["word", "segment"]) ?? []);
}

function checkSpeakers(form: MultipartForm): void {
  const names = form.fields("known_speaker_names");
  const references = form.fields("known_speaker_references");
  if (names.length > maxSpeakers) throw invalidParameter("known_speaker_names", `at most ${maxSpeakers} names`);
  if (references.length !== names.length) {
    throw invalidParameter("known_speaker_references", "as many as there are known_speaker_names");
  }
}

/** What can be no sound, whatever its sender calls it: text, pictures, documents, archives. */
function checkType({ contentType }: FormFile): void {
  if (/^(audio|video)\//.test(contentType) || contentType === "application/octet-stream") return;
  const message = `Invalid value for 'file': expected sound, but its bytes are ${contentType}.`;
  throw invalidRequest("invalid_parameter", message, "file");
}
