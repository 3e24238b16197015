import type { Exchange } from "../../dialects/exchange.ts";
import type { Member } from "../../json/top-level.ts";
import type { JsonObject } from "../../json/values.ts";
import type { Support } from "../../conversation/fields/support.ts";

declare module "../provider-halves.ts" {
  interface ProviderHalves {
    readonly speech?: SpeechProvider;
  }
}

/** The formats that OpenAI has. `pcm` is 24 kHz, 16 bits, little-endian, one channel. */
export const speechFormats = ["mp3", "opus", "aac", "flac", "wav", "pcm"] as const;

export type SpeechFormat = (typeof speechFormats)[number];

/** A request for speech that has been read and checked, with the text it was read from. */
export interface SpeechRequest {
  readonly model: string;
  /** Whether the sound is sent as events, and not as bytes. */
  readonly stream: boolean;
  /** The body as the caller wrote it. */
  readonly text: string;
  readonly members: readonly Member[];
  readonly body: JsonObject;
  readonly input: string;
  /** Unicode code points of `input`. */
  readonly characters: number;
  /** The name of a voice, or the id of a caller's own one. */
  readonly voice: string;
  readonly isOwnVoice: boolean;
  readonly instructions: string | undefined;
  /** One of `speechFormats`, or another word that a model may know; undefined if the caller does not say. */
  readonly format: string | undefined;
  /** 0.25 to 4; undefined and 1 are the usual speed. */
  readonly speed: number | undefined;
}

/** What a provider dialect does with each field of a request for speech. */
export interface SpeechCapabilities {
  readonly formats: Readonly<Record<SpeechFormat, Support>>;
  readonly ownVoice: Support;
  readonly instructions: Support;
  readonly speed: Support;
  /** The bounds of `speed` if it is carried. */
  readonly speedRange: { readonly min: number; readonly max: number };
  /** `stream_format: sse` */
  readonly events: Support;
  /** Fields that are none of OpenAI's. */
  readonly otherFields: Support;
  /** Unicode code points of `input`; null if the provider's limit is that of the model. */
  readonly maxCharacters: number | null;
}

/** How providers of a dialect are asked to speak. */
export interface SpeechProvider {
  readonly capabilities: SpeechCapabilities;
  /**
   * @param model the provider's own name
   * @param isHidden callers do not see which provider served them, so that nothing of its own may reach them
   * Throws a 400 that names the field.
   */
  readonly exchange: (request: SpeechRequest, model: string, isHidden: boolean) => Exchange;
}
