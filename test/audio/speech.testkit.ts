import { startTestGateway, type TestGateway, type TestGatewayOptions, type TestModel } from "../gateway.testkit.ts";

/** The providers that speak, each in front of the sandbox in its own wire format. */
export const speechProviders = ["openai", "elevenlabs", "deepgram", "gemini"] as const;

export type SpeechProviderName = (typeof speechProviders)[number];

/** The id of the model of a provider, which is priced by the character. */
export const modelAt = (provider: SpeechProviderName) => `speech-${provider}`;

/** A voice that each provider has. */
export const voices: Readonly<Record<SpeechProviderName, string>> = {
  openai: "alloy",
  elevenlabs: "JBFqnCBsd6RMkjVDRZzb",
  deepgram: "thalia",
  gemini: "Kore",
};

/** The provider's own name of a model; Deepgram adds the voice to it. */
const upstreamNames: Readonly<Record<SpeechProviderName, string>> = {
  openai: "sandbox-speech",
  elevenlabs: "sandbox-eleven",
  deepgram: "sandbox",
  gemini: "sandbox-tts",
};

/** Micro-USD of a million characters. */
export const perCharacters = 15_000_000;

/** A model with a target at each of these providers, in their order. */
export function speechModel(
  id: string,
  providers: readonly SpeechProviderName[],
  more: Partial<TestModel> = {},
): TestModel {
  return {
    id,
    targets: providers.map((provider) => ({ provider, model: upstreamNames[provider] })),
    endpoints: ["audio_speech"],
    parameters: {},
    contextLength: null,
    maxOutputTokens: null,
    prices: { character: perCharacters },
    ...more,
  };
}

/** The providers, by the address of the sandbox. */
export function providersAt(url: string) {
  const root = url.replace(/\/v1$/, "");
  return [
    { id: "openai", dialects: ["openai-chat"], baseUrl: url, apiKeys: ["a-key"] },
    { id: "elevenlabs", dialects: ["elevenlabs"], baseUrl: root, apiKeys: ["a-key"] },
    { id: "deepgram", dialects: ["deepgram"], baseUrl: root, apiKeys: ["a-key"] },
    { id: "gemini", dialects: ["gemini"], baseUrl: root, apiKeys: ["a-key"] },
  ];
}

/** A gateway with a model for each provider that speaks, and others that a test needs. */
export function startSpeechGateway(
  models: readonly TestModel[] = [],
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  return startTestGateway({
    providers: providersAt,
    ...options,
    models: [...speechProviders.map((provider) => speechModel(modelAt(provider), [provider])), ...models],
  });
}

/** Sends a request for speech; the model, the voice and the text have defaults. */
export function speak(gateway: TestGateway, body: object = {}, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json");
  const usual = { model: modelAt("openai"), voice: "alloy", input: "Hello world" };
  return gateway.fetch("/v1/audio/speech", {
    method: "POST",
    ...init,
    headers,
    body: JSON.stringify({ ...usual, ...body }),
  });
}

/** A text to speak with a script for the sandbox. */
export const scripted = (script: object, text = "Hello world") => `${text} [[sandbox: ${JSON.stringify(script)}]]`;
