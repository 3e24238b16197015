import type { Support } from "../../conversation/fields/support.ts";
import type { Exchange } from "../../dialects/exchange.ts";
import type { FileSound } from "../../dialects/sound/file-sound.ts";
import type { FormField, FormFile } from "../../multipart/form.ts";

declare module "../provider-halves.ts" {
  interface ProviderHalves {
    readonly transcription?: TranscriptionProvider;
  }
}

/** The forms of a transcript that OpenAI has. */
export const transcriptFormats = ["json", "text", "srt", "verbose_json", "vtt", "diarized_json"] as const;

export type TranscriptFormat = (typeof transcriptFormats)[number];

/** `translate` writes what was said in English, whatever the language of the sound. */
export type TranscriptionTask = "transcribe" | "translate";

/** A request for a transcript that has been read and checked. */
export interface TranscriptionRequest {
  readonly model: string;
  /** Whether the transcript is sent as events. */
  readonly stream: boolean;
  readonly task: TranscriptionTask;
  readonly file: FormFile;
  readonly sound: FileSound;
  /** The fields of the form but `model`, as the caller wrote them, in their order. */
  readonly fields: readonly FormField[];
  /** `json` unless the caller says. */
  readonly format: TranscriptFormat;
  /** A language tag: `en`, `pt-BR`. */
  readonly language: string | undefined;
  readonly prompt: string | undefined;
  /** 0 to 1. */
  readonly temperature: number | undefined;
  /** `word` and `segment`; empty if the caller does not say. */
  readonly granularities: readonly string[];
}

/** What a provider dialect does with each field of a request for a transcript. */
export interface TranscriptionCapabilities {
  readonly formats: Readonly<Record<TranscriptFormat, Support>>;
  readonly language: Support;
  readonly prompt: Support;
  readonly temperature: Support;
  /** Times of words and of segments. */
  readonly granularities: Support;
  /** `include[]=logprobs`, and whatever else is to be included. */
  readonly include: Support;
  readonly chunking: Support;
  /** `known_speaker_names[]` and `known_speaker_references[]`. */
  readonly speakers: Support;
  /** `stream: true` */
  readonly events: Support;
  /** `POST /v1/audio/translations` */
  readonly translation: Support;
  /** Fields that are none of OpenAI's. */
  readonly otherFields: Support;
  /** Null if the provider's limit is that of the model. */
  readonly maxFileBytes: number | null;
}

/** How providers of a dialect are asked for a transcript. */
export interface TranscriptionProvider {
  readonly capabilities: TranscriptionCapabilities;
  /**
   * Throws a 400 that names the field.
   * @param model the provider's own name
   * @param isHidden callers do not see which provider served them, so that no event or field of its own may reach them
   */
  readonly exchange: (request: TranscriptionRequest, model: string, isHidden: boolean) => Exchange;
}
