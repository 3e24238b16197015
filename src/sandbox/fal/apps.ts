import type { InputShape } from "../jobs/check-input.ts";

const common: InputShape = {
  prompt: { type: "text", required: true },
  seed: { type: "number" },
  sync_mode: { type: "boolean" },
};
const several: InputShape = { ...common, num_images: { type: "number", min: 1, max: 4 } };
const ratios = ["21:9", "16:9", "3:2", "4:3", "5:4", "1:1", "4:5", "3:4", "2:3", "9:16"];

const flux: InputShape = {
  ...several,
  image_size: { type: "any" },
  output_format: { type: "text", words: ["jpeg", "png"] },
  num_inference_steps: { type: "number", min: 1, max: 50 },
  guidance_scale: { type: "number", min: 1, max: 20 },
  enable_safety_checker: { type: "boolean" },
  acceleration: { type: "text", words: ["none", "regular", "high"] },
};
const { image_size: _size, ...fluxOfImage } = flux;

const nanoBanana: InputShape = {
  ...several,
  aspect_ratio: { type: "text", words: ["auto", ...ratios] },
  output_format: { type: "text", words: ["jpeg", "png", "webp"] },
  resolution: { type: "text", words: ["1K", "2K", "4K"] },
  limit_generations: { type: "boolean" },
};

const kling: InputShape = {
  prompt: { type: "text", required: true },
  duration: { type: "text", words: ["5", "10"] },
  aspect_ratio: { type: "text", words: ["16:9", "9:16", "1:1"] },
  negative_prompt: { type: "text" },
  cfg_scale: { type: "number", max: 1 },
};

const veo: InputShape = {
  prompt: { type: "text", required: true },
  duration: { type: "text", words: ["4s", "6s", "8s"] },
  aspect_ratio: { type: "text", words: ["16:9", "9:16"] },
  resolution: { type: "text", words: ["720p", "1080p"] },
  generate_audio: { type: "boolean" },
  negative_prompt: { type: "text" },
  seed: { type: "number" },
};

const image = { image_url: { type: "url", required: true } } as const satisfies InputShape;

/** What some apps take, by their names. The first that fits counts. */
const apps: readonly (readonly [name: RegExp, shape: InputShape])[] = [
  [/^fal-ai\/flux\/dev\/image-to-image$/, { ...fluxOfImage, ...image, strength: { type: "number", max: 1 } }],
  [/^fal-ai\/flux\/(dev|schnell)$/, flux],
  [
    /^fal-ai\/flux-pro\/v1\/fill$/,
    {
      ...several,
      ...image,
      mask_url: { type: "url", required: true },
      output_format: { type: "text", words: ["jpeg", "png"] },
    },
  ],
  [/^fal-ai\/nano-banana[\w-]*\/edit$/, { ...nanoBanana, image_urls: { type: "urls", required: true } }],
  [/^fal-ai\/nano-banana[\w-]*$/, nanoBanana],
  [/^fal-ai\/kling-video\/.+\/image-to-video$/, { ...kling, ...image }],
  [/^fal-ai\/kling-video\/.+\/text-to-video$/, kling],
  [/^fal-ai\/veo3[\w.]*(\/fast)?\/image-to-video$/, { ...veo, ...image }],
  [/^fal-ai\/veo3[\w.]*(\/fast)?$/, veo],
];

/** What an app takes; null if anything. */
export function shapeOfApp(app: string): InputShape | null {
  return apps.find(([name]) => name.test(app))?.[1] ?? null;
}

/** Whether an app makes films, as far as its name tells. */
export function isFilmApp(app: string): boolean {
  return /video|veo|kling|hailuo|sora|seedance|wan|ltx|film/.test(app);
}
