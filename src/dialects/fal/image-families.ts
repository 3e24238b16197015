import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import type { ImageFormat, ImagesCapabilities } from "../../operations/images/images.ts";
import { jobCapabilities } from "../jobs/job-pictures.ts";

/** Models that take the same input. */
export interface FalImageFamily {
  /** For the documentation. */
  readonly title: string;
  readonly models: RegExp;
  /** The ratios of its `aspect_ratio`; null if it has `image_size`, which takes any width and height. */
  readonly ratios: readonly string[] | null;
  /** The field of the images to edit: `image_urls` takes several. Null if it edits none. */
  readonly images: "image_url" | "image_urls" | null;
  readonly mask: "mask_url" | null;
  /** What follows the name of the app that edits, if it is another than that which generates. */
  readonly editPath: string | null;
  readonly capabilities: ImagesCapabilities;
}

const allRatios = ["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "21:9"];

interface FamilyFacts extends Pick<FalImageFamily, "title" | "models" | "ratios" | "images" | "mask"> {
  readonly formats: readonly ImageFormat[];
  readonly editPath?: string;
}

const families: readonly FamilyFacts[] = [
  {
    title: "fal, `nano-banana*`, `gemini-*-image`",
    models: /\/(nano-banana|gemini-[\w.-]*image)/,
    ratios: allRatios,
    images: "image_urls",
    mask: null,
    formats: ["png", "jpeg", "webp"],
    editPath: "/edit",
  },
  {
    title: "fal, `imagen*`",
    models: /\/imagen/,
    ratios: ["1:1", "16:9", "9:16", "4:3", "3:4"],
    images: null,
    mask: null,
    formats: ["png", "jpeg", "webp"],
  },
  {
    title: "fal, `flux-*kontext*`",
    models: /kontext/,
    ratios: [...allRatios, "9:21"],
    images: "image_url",
    mask: null,
    formats: ["png", "jpeg"],
  },
  {
    title: "fal, `seedream`, `qwen-image-edit`, `flux-2`",
    models: /seedream|qwen-image-edit|\/flux-2/,
    ratios: null,
    images: "image_urls",
    mask: null,
    formats: ["png", "jpeg"],
  },
  {
    title: "fal, `flux/dev`",
    models: /\/flux\/dev(\/image-to-image)?$/,
    ratios: null,
    images: "image_url",
    mask: null,
    formats: ["png", "jpeg"],
    editPath: "/image-to-image",
  },
  {
    title: "fal, all others",
    models: /(?:)/,
    ratios: null,
    images: "image_url",
    mask: "mask_url",
    formats: ["png", "jpeg"],
  },
];

/** The first that fits a model's name is its family; the last fits all. */
export const falImageFamilies: readonly FalImageFamily[] = families.map(familyOf);

export function falImageFamilyOf(model: string): FalImageFamily {
  const family = falImageFamilies.find(({ models }) => models.test(model));
  if (family === undefined) throw new Error("The last family fits all models.");
  return family;
}

function familyOf({ formats, editPath, ...facts }: FamilyFacts): FalImageFamily {
  const { images, mask, ratios } = facts;
  const edits = images === null ? refused("This model edits no images.") : carried;
  const formatOf = (format: ImageFormat) =>
    formats.includes(format) ? carried : refused(`This model has no ${format.toUpperCase()}.`);
  return {
    ...facts,
    editPath: editPath ?? null,
    capabilities: {
      ...jobCapabilities,
      n: carried,
      maxImages: 4,
      size: ratios === null ? carried : emulated("the aspect ratio"),
      formats: { png: formatOf("png"), jpeg: formatOf("jpeg"), webp: formatOf("webp") },
      outputCompression: ignored,
      responseFormat: { url: carried, b64_json: emulated("fetching it") },
      edits,
      imageUrl: edits,
      mask: mask === null ? refused("This model takes no mask.") : carried,
      maxInputImages: images === "image_urls" ? 10 : 1,
    },
  };
}
