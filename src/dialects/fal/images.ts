import { isObject, type JsonObject, listOrEmpty } from "../../json/values.ts";
import type { ImagesAnswer, ImagesProvider, ImagesRequest } from "../../operations/images/images.ts";
import { aspectRatioOf } from "../jobs/aspect-ratio.ts";
import { parseJobAnswer } from "../jobs/job-answer.ts";
import { JobBody } from "../jobs/job-body.ts";
import { fitJob, inputFieldsOf, madeImageAt } from "../jobs/job-pictures.ts";
import { readFalError } from "./errors.ts";
import { type FalImageFamily, falImageFamilies, falImageFamilyOf } from "./image-families.ts";
import { queueSteps, submitRequest } from "./queue.ts";

/** Puts a request into the queue of an app. The model is the app's name, such as `fal-ai/flux/dev`. */
export const imagesProvider: ImagesProvider = {
  capabilities: (model) => falImageFamilyOf(model).capabilities,
  columns: falImageFamilies,
  exchange(request, { model }) {
    const family = falImageFamilyOf(model);
    const warnings = fitJob(request, family.capabilities);
    const app = appOf(request, model, family);
    const body = new JobBody();
    return {
      request: submitRequest(app, body.write(inputOf(request, family, body), request.prompt)),
      steps: queueSteps(app),
      warnings,
      readError: readFalError,
      read: (answer) => readPictures(parseJobAnswer(answer)),
    };
  },
};

function appOf({ kind }: ImagesRequest, model: string, { editPath }: FalImageFamily): string {
  return kind === "image_edit" && editPath !== null && !model.endsWith(editPath) ? `${model}${editPath}` : model;
}

function inputOf(
  request: ImagesRequest,
  { images, mask, ratios, editPath }: FalImageFamily,
  body: JobBody,
): JsonObject {
  const urls = request.images.map((image) => body.urlOf(image));
  // An app that changes one image keeps its size.
  const keepsSize = images === "image_url" && editPath !== null && urls.length > 0;
  return {
    ...inputFieldsOf(request),
    prompt: request.prompt,
    num_images: request.n,
    ...(!keepsSize && sizeOf(request, ratios)),
    ...(request.outputFormat !== undefined && { output_format: request.outputFormat }),
    ...(images !== null && urls.length > 0 && { [images]: images === "image_urls" ? urls : urls[0] }),
    ...(mask !== null && request.mask !== null && { [mask]: body.urlOf(request.mask) }),
  };
}

/** A width and a height, or a word of the app's own, such as `landscape_16_9` or `16:9`. */
function sizeOf({ pixels, size }: ImagesRequest, ratios: readonly string[] | null): JsonObject {
  if (size === undefined || size === "auto") return {};
  if (ratios === null) return { image_size: pixels ?? size };
  return { aspect_ratio: pixels === null ? size : aspectRatioOf(pixels, ratios) };
}

/** The images of a result: a list, or one. */
function readPictures({ images, image }: JsonObject): ImagesAnswer {
  const made = Array.isArray(images) ? listOrEmpty(images) : image === undefined || image === null ? [] : [image];
  return {
    created: null,
    images: made.map((picture) => {
      const { url, width, height }: JsonObject = isObject(picture) ? picture : { url: picture };
      return madeImageAt(url, isEdge(width) && isEdge(height) ? `${width}x${height}` : null);
    }),
    quality: null,
    usage: null,
  };
}

function isEdge(value: unknown): value is number {
  return Number.isInteger(value) && Number(value) > 0;
}
