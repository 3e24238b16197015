import { writeSound, type SoundFormat } from "../../src/sandbox/sound/write-sound.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions, type TestModel } from "../gateway.testkit.ts";
import { providersAt, type SpeechProviderName } from "./speech.testkit.ts";

/** The id of the model of a provider, which is priced by the second. */
export const transcriberAt = (provider: SpeechProviderName) => `transcribe-${provider}`;

/** The provider's own name of a model. */
export const upstreamNames: Readonly<Record<SpeechProviderName, string>> = {
  openai: "sandbox-transcription",
  elevenlabs: "sandbox-scribe",
  deepgram: "sandbox-nova",
  gemini: "sandbox-flash",
};

/** Micro-USD of a second. */
export const perSecond = 1_000;

/** A model with a target at each of these providers, in their order. */
export function transcriptionModel(
  id: string,
  providers: readonly SpeechProviderName[],
  more: Partial<TestModel> = {},
): TestModel {
  return {
    id,
    targets: providers.map((provider) => ({ provider, model: upstreamNames[provider] })),
    endpoints: ["audio_transcriptions", "audio_translations"],
    parameters: {},
    contextLength: null,
    maxOutputTokens: null,
    prices: { second: perSecond },
    ...more,
  };
}

/** A gateway with a model for each provider that transcribes, and others that a test needs. */
export function startTranscriptionGateway(
  models: readonly TestModel[] = [],
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  const providers = ["openai", "elevenlabs", "deepgram", "gemini"] as const;
  return startTestGateway({
    providers: providersAt,
    ...options,
    models: [...providers.map((provider) => transcriptionModel(transcriberAt(provider), [provider])), ...models],
  });
}

/** A text as the sandbox speaks it. */
export function spoken(text = "Hello brave new world.", format: SoundFormat = "wav"): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(Buffer.concat([...writeSound(text, format).parts]));
}

/** A text with a spoken directive for the sandbox, which it obeys whatever the vendor's wire format. */
export const spokenScript = (script: object, text = "Hello brave new world.") =>
  spoken(`${text} [[sandbox: ${JSON.stringify(script)}]]`);

/** The value of a field, several of them, or none. */
export type FieldValue = string | number | boolean | readonly string[] | null;

export interface TranscribeOptions extends Omit<RequestInit, "body"> {
  readonly path?: string;
  /** Null: no file. */
  readonly sound?: Uint8Array<ArrayBuffer> | null;
  readonly filename?: string;
}

/** Sends a request for a transcript; the model and the sound have defaults. */
export function transcribe(
  gateway: TestGateway,
  fields: Readonly<Record<string, FieldValue>> = {},
  { path = "/v1/audio/transcriptions", sound = spoken(), filename = "a.wav", ...init }: TranscribeOptions = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: transcriberAt("openai"), ...fields })) {
    for (const each of Array.isArray(value) ? value : [value]) if (each !== null) form.append(name, String(each));
  }
  if (sound !== null) form.append("file", new Blob([sound], { type: "audio/wav" }), filename);
  return gateway.fetch(path, { method: "POST", ...init, body: form });
}

/** The status and the field of an error. */
export async function paramOf(response: Response): Promise<unknown[]> {
  const { error } = (await response.json()) as { error: { param: string | null } };
  return [response.status, error.param];
}

/** The events of a stream, parsed. */
export function eventsOf(text: string): readonly { readonly type?: string; readonly [name: string]: unknown }[] {
  return text
    .split("\n\n")
    .filter((event) => event.startsWith("data: "))
    .map((event) => JSON.parse(event.slice(6)) as { type?: string });
}
