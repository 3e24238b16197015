import { carried, emulated, ignored, refused } from "../../conversation/fields/support.ts";
import type { ImageFormat, ImagesCapabilities } from "../../operations/images/images.ts";
import { jobCapabilities } from "../jobs/job-pictures.ts";

/** Models that take the same input. */
export interface ReplicateImageFamily {
  /** For the documentation. */
  readonly title: string;
  readonly models: RegExp;
  /** The ratios of its `aspect_ratio`; null if it has `width` and `height`. */
  readonly ratios: readonly string[] | null;
  /** Whether it has `num_outputs`. */
  readonly several: boolean;
  /** The field of the images to edit, and whether it takes a list. Null if it edits none. */
  readonly images: { readonly field: string; readonly isList: boolean } | null;
  readonly mask: "mask" | null;
  /** Its words for the formats that it has. */
  readonly formats: Readonly<Partial<Record<ImageFormat, string>>>;
  /** Whether it has `output_quality`. */
  readonly quality: boolean;
  readonly capabilities: ImagesCapabilities;
}

type FamilyFacts = Omit<ReplicateImageFamily, "capabilities">;

const allRatios = ["1:1", "16:9", "9:16", "4:3", "3:4", "3:2", "2:3", "5:4", "4:5", "21:9"];
const jpegAndPng = { png: "png", jpeg: "jpg" };
const allFormats = { ...jpegAndPng, webp: "webp" };

const families: readonly FamilyFacts[] = [
  {
    title: "replicate, `flux-*kontext*`",
    models: /kontext/,
    ratios: [...allRatios, "9:21"],
    several: false,
    images: { field: "input_image", isList: false },
    mask: null,
    formats: jpegAndPng,
    quality: false,
  },
  {
    title: "replicate, `flux-fill*`",
    models: /flux-fill/,
    ratios: [],
    several: false,
    images: { field: "image", isList: false },
    mask: "mask",
    formats: jpegAndPng,
    quality: false,
  },
  {
    title: "replicate, `flux-schnell`, `flux-dev`",
    models: /\/flux-(schnell|dev)\b/,
    ratios: [...allRatios, "9:21"],
    several: true,
    images: { field: "image", isList: false },
    mask: null,
    formats: allFormats,
    quality: true,
  },
  {
    title: "replicate, `nano-banana*`, `seedream*`",
    models: /nano-banana|seedream/,
    ratios: allRatios,
    several: false,
    images: { field: "image_input", isList: true },
    mask: null,
    formats: jpegAndPng,
    quality: false,
  },
  {
    title: "replicate, `sdxl`, `stable-diffusion`",
    models: /sdxl|stable-diffusion(?!-3)/,
    ratios: null,
    several: true,
    images: { field: "image", isList: false },
    mask: "mask",
    formats: {},
    quality: false,
  },
  {
    title: "replicate, all others",
    models: /(?:)/,
    ratios: allRatios,
    several: false,
    images: { field: "image", isList: false },
    mask: "mask",
    formats: jpegAndPng,
    quality: false,
  },
];

/** The first that fits a model's name is its family; the last fits all. */
export const replicateImageFamilies: readonly ReplicateImageFamily[] = families.map(familyOf);

export function replicateImageFamilyOf(model: string): ReplicateImageFamily {
  const family = replicateImageFamilies.find(({ models }) => models.test(model));
  if (family === undefined) throw new Error("The last family fits all models.");
  return family;
}

function familyOf(facts: FamilyFacts): ReplicateImageFamily {
  const { images, mask, ratios, several, formats, quality } = facts;
  const hasFormats = Object.keys(formats).length > 0;
  const formatOf = (format: ImageFormat) => {
    if (!hasFormats) return ignored;
    return formats[format] === undefined ? refused(`This model has no ${format.toUpperCase()}.`) : carried;
  };
  const edits = images === null ? refused("This model edits no images.") : carried;
  return {
    ...facts,
    capabilities: {
      ...jobCapabilities,
      n: several ? carried : refused("This model makes one image for a request."),
      maxImages: several ? 4 : 1,
      size: ratios === null ? carried : ratios.length === 0 ? ignored : emulated("the aspect ratio"),
      formats: { png: formatOf("png"), jpeg: formatOf("jpeg"), webp: formatOf("webp") },
      outputCompression: quality ? carried : ignored,
      responseFormat: { url: carried, b64_json: emulated("fetching it") },
      edits,
      imageUrl: edits,
      mask: mask === null ? refused("This model takes no mask.") : carried,
      maxInputImages: images?.isList === true ? 10 : 1,
    },
  };
}
