import { startTestGateway, type TestGateway, type TestModel } from "../gateway.testkit.ts";
import { upstreamNames } from "../audio/transcription.testkit.ts";

/** The kinds of provider that make or read media. */
export const mediaProviders = ["openai", "gemini", "elevenlabs", "deepgram", "fal", "replicate"] as const;

export type MediaProvider = (typeof mediaProviders)[number];

/** What each provider calls its models. Absent: it has none, and is asked for one all the same. */
const upstream = {
  speech: { openai: "sandbox-speech", elevenlabs: "sandbox-eleven", deepgram: "sandbox", gemini: "sandbox-tts" },
  transcription: upstreamNames,
  image: {
    openai: "sandbox-gpt-image",
    gemini: "sandbox-flash-image",
    fal: "fal-ai/flux/dev",
    replicate: "black-forest-labs/flux-schnell",
  },
  edit: {
    openai: "sandbox-gpt-image",
    gemini: "sandbox-flash-image",
    fal: "fal-ai/nano-banana",
    replicate: "black-forest-labs/flux-kontext-pro",
  },
  video: {
    openai: "sandbox-video",
    gemini: "sandbox-video",
    fal: "fal-ai/kling-video/v2.1/master/text-to-video",
    replicate: "kwaivgi/kling-v2.1-master",
  },
} satisfies Readonly<Record<string, Partial<Record<MediaProvider, string>>>>;

type MediaKind = keyof typeof upstream;

const served: Readonly<Record<MediaKind, Partial<TestModel>>> = {
  speech: { endpoints: ["audio_speech"], prices: { character: 15_000_000 } },
  transcription: { endpoints: ["audio_transcriptions", "audio_translations"], prices: { second: 1_000 } },
  image: { endpoints: ["images_generations"], prices: { image: 40_000 } },
  edit: { endpoints: ["images_edits"], prices: { image: 40_000 } },
  video: { endpoints: ["videos"], prices: { video_second: 100_000 } },
};

/** The id of the model of a kind at a provider. */
export const mediaModel = (kind: MediaKind, provider: MediaProvider) => `${kind}-${provider}`;

/** A gateway with a model of each kind at each provider, in front of the sandbox in the provider's own wire format. */
export function createMediaGateway(): Promise<TestGateway> {
  const kinds = Object.keys(upstream) as MediaKind[];
  return startTestGateway({
    providers(url) {
      const { origin } = new URL(url);
      const root = url.replace(/\/v1$/, "");
      const provider = (id: MediaProvider, dialect: string, baseUrl: string) => {
        return { id, dialects: [dialect], baseUrl, apiKeys: ["a-key"] };
      };
      return [
        provider("openai", "openai-chat", url),
        provider("gemini", "gemini", root),
        provider("elevenlabs", "elevenlabs", root),
        provider("deepgram", "deepgram", root),
        provider("fal", "fal", `${origin}/fal`),
        provider("replicate", "replicate", `${origin}/replicate/v1`),
      ];
    },
    models: [
      ...mediaProviders.flatMap((provider) =>
        kinds.map((kind): TestModel => {
          const names: Partial<Record<MediaProvider, string>> = upstream[kind];
          return {
            id: mediaModel(kind, provider),
            targets: [{ provider, model: names[provider] ?? "any" }],
            parameters: {},
            contextLength: null,
            maxOutputTokens: null,
            ...served[kind],
          };
        }),
      ),
      {
        id: "conversing",
        targets: [{ provider: "gemini", model: "sandbox-flash-image" }],
        endpoints: ["generate_content"],
        prices: { input: 1, output: 2 },
      },
    ],
  });
}
