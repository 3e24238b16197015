import { imageSize } from "image-size";
import { draw } from "../../src/sandbox/pictures/draw.ts";
import { writePng } from "../../src/sandbox/pictures/png.ts";
import { startTestGateway, type TestGateway, type TestGatewayOptions, type TestModel } from "../gateway.testkit.ts";

/** The providers that make images, each in front of the sandbox in its own wire format. */
export const imageProviders = ["openai", "gpt", "gemini", "imagen"] as const;

export type ImageProviderName = (typeof imageProviders)[number];

/** The id of the model of a provider, which is priced by the image. */
export const modelAt = (provider: ImageProviderName) => `images-${provider}`;

/** The provider and its own name of a model. */
const targets: Readonly<Record<ImageProviderName, { readonly provider: string; readonly model: string }>> = {
  openai: { provider: "openai", model: "sandbox-dall-e" },
  gpt: { provider: "openai", model: "sandbox-gpt-image" },
  gemini: { provider: "gemini", model: "sandbox-flash-image" },
  imagen: { provider: "gemini", model: "sandbox-imagen" },
};

/** Micro-USD of an image. */
export const perImage = 40_000;

/** A model with a target at each of these providers, in their order. */
export function imagesModel(
  id: string,
  providers: readonly ImageProviderName[],
  more: Partial<TestModel> = {},
): TestModel {
  return {
    id,
    targets: providers.map((provider) => targets[provider]),
    endpoints: ["images_generations", "images_edits"],
    parameters: {},
    contextLength: null,
    maxOutputTokens: null,
    prices: { image: perImage },
    ...more,
  };
}

/** A gateway with a model for each provider that makes images, and others that a test needs. */
export function startImagesGateway(
  models: readonly TestModel[] = [],
  options: TestGatewayOptions = {},
): Promise<TestGateway> {
  return startTestGateway({
    providers: (url) => [
      { id: "openai", dialects: ["openai-chat"], baseUrl: url, apiKeys: ["a-key"] },
      { id: "gemini", dialects: ["gemini"], baseUrl: url.replace(/\/v1$/, ""), apiKeys: ["a-key"] },
    ],
    ...options,
    models: [...imageProviders.map((provider) => imagesModel(modelAt(provider), [provider])), ...models],
  });
}

/** Asks for images; the model, the prompt and a small size have defaults. */
export function generate(gateway: TestGateway, body: object = {}, init: RequestInit = {}): Promise<Response> {
  const headers = new Headers(init.headers);
  headers.set("content-type", "application/json");
  const usual = { model: modelAt("gpt"), prompt: "A red fox" };
  return gateway.fetch("/v1/images/generations", {
    method: "POST",
    ...init,
    headers,
    body: JSON.stringify({ ...usual, ...body }),
  });
}

/** Asks for edits by a form; lists are sent as `name[]`. */
export function edit(
  gateway: TestGateway,
  fields: Readonly<Record<string, string | Blob | Blob[]>>,
  init: RequestInit = {},
): Promise<Response> {
  const form = new FormData();
  for (const [name, value] of Object.entries({ model: modelAt("gpt"), prompt: "Make it blue", ...fields })) {
    if (typeof value === "string") {
      form.append(name, value);
      continue;
    }
    const isList = Array.isArray(value);
    const files: readonly Blob[] = isList ? value : [value];
    for (const file of files) form.append(isList ? `${name}[]` : name, file, `${name}.png`);
  }
  return gateway.fetch("/v1/images/edits", { method: "POST", ...init, body: form });
}

/** A PNG file. */
export function png(width = 64, height = 64, text = "an image"): Blob {
  return new Blob([new Uint8Array(writePng(draw({ text, width, height })))], { type: "image/png" });
}

/** An answer of images. */
export interface ImagesBody {
  readonly created: number;
  readonly data: readonly { readonly b64_json?: string; readonly url?: string; readonly revised_prompt?: string }[];
  readonly size?: string;
  readonly quality?: string;
  readonly output_format?: string;
  readonly usage?: { readonly input_tokens: number; readonly output_tokens: number; readonly total_tokens: number };
  readonly error?: { readonly type: string; readonly code: string; readonly message: string; readonly param: string };
}

/** The body of an answer with a status. */
export async function bodyOf(response: Response, status = 200): Promise<ImagesBody> {
  const text = await response.text();
  if (response.status !== status) throw new Error(`${response.status}, and not ${status}: ${text.slice(0, 500)}`);
  return JSON.parse(text) as ImagesBody;
}

/** Width, height and type of an image in base64. */
export function lookAt(base64: string | undefined): string {
  const { width, height, type } = imageSize(Buffer.from(base64 ?? "", "base64"));
  return `${type} ${width}x${height}`;
}

/** A prompt with a script for the sandbox. */
export const scripted = (script: object, prompt = "A red fox") => `${prompt} [[sandbox: ${JSON.stringify(script)}]]`;
