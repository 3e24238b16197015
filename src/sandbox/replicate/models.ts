import type { InputShape } from "../jobs/check-input.ts";

const ratios = ["1:1", "16:9", "21:9", "3:2", "2:3", "4:5", "5:4", "3:4", "4:3", "9:16", "9:21"];
const common: InputShape = { prompt: { type: "text", required: true }, seed: { type: "number" } };

const flux: InputShape = {
  ...common,
  aspect_ratio: { type: "text", words: ratios },
  num_outputs: { type: "number", min: 1, max: 4 },
  output_format: { type: "text", words: ["webp", "jpg", "png"] },
  output_quality: { type: "number", max: 100 },
  megapixels: { type: "text", words: ["1", "0.25"] },
  disable_safety_checker: { type: "boolean" },
  go_fast: { type: "boolean" },
};

const stableDiffusion: InputShape = {
  ...common,
  width: { type: "number", min: 64, max: 2048 },
  height: { type: "number", min: 64, max: 2048 },
  num_outputs: { type: "number", min: 1, max: 4 },
  image: { type: "url" },
  mask: { type: "url" },
  negative_prompt: { type: "text" },
  guidance_scale: { type: "number", min: 1, max: 50 },
  num_inference_steps: { type: "number", min: 1, max: 500 },
};

const film: InputShape = {
  ...common,
  duration: { type: "number", words: [4, 5, 6, 8, 10] },
  aspect_ratio: { type: "text", words: ["16:9", "9:16", "1:1"] },
  resolution: { type: "text", words: ["720p", "1080p"] },
  negative_prompt: { type: "text" },
};

/** What some models take, by their names. The first that fits counts. */
const models: readonly (readonly [name: RegExp, shape: InputShape])[] = [
  [
    /^black-forest-labs\/flux-kontext/,
    {
      ...common,
      input_image: { type: "url" },
      aspect_ratio: { type: "text", words: ["match_input_image", ...ratios] },
      output_format: { type: "text", words: ["jpg", "png"] },
      safety_tolerance: { type: "number", max: 6 },
    },
  ],
  [
    /^black-forest-labs\/flux-fill/,
    {
      ...common,
      image: { type: "url", required: true },
      mask: { type: "url" },
      output_format: { type: "text", words: ["jpg", "png"] },
    },
  ],
  [/^black-forest-labs\/flux-dev$/, { ...flux, image: { type: "url" }, prompt_strength: { type: "number", max: 1 } }],
  [/^black-forest-labs\/flux-schnell$/, flux],
  [
    /^google\/nano-banana/,
    {
      ...common,
      image_input: { type: "urls" },
      aspect_ratio: { type: "text", words: ["match_input_image", ...ratios] },
      output_format: { type: "text", words: ["jpg", "png"] },
    },
  ],
  [/^stability-ai\/sdxl/, stableDiffusion],
  [/^kwaivgi\/kling/, { ...film, start_image: { type: "url" } }],
  [/^google\/veo/, { ...film, image: { type: "url" }, generate_audio: { type: "boolean" } }],
];

/** What a model takes; null if anything. */
export function shapeOfModel(model: string): InputShape | null {
  return models.find(([name]) => name.test(model))?.[1] ?? null;
}

/** Whether a model makes films, as far as its name tells. */
export function isFilmModel(model: string): boolean {
  return /video|veo|kling|hailuo|sora|seedance|wan-|ltx|film/.test(model);
}

/** Whether a model answers with one address, and not with a list. */
export function makesOne(model: string): boolean {
  return isFilmModel(model) || /kontext|fill|nano-banana/.test(model);
}
