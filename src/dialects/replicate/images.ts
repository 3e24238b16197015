import { isObject, type JsonObject } from "../../json/values.ts";
import {
  imageFormats,
  type ImagesAnswer,
  type ImagesProvider,
  type ImagesRequest,
} from "../../operations/images/images.ts";
import { aspectRatioOf } from "../jobs/aspect-ratio.ts";
import { parseJobAnswer } from "../jobs/job-answer.ts";
import { JobBody } from "../jobs/job-body.ts";
import { fitJob, inputFieldsOf, madeImageAt } from "../jobs/job-pictures.ts";
import { faultOfPrediction, readReplicateError } from "./errors.ts";
import { type ReplicateImageFamily, replicateImageFamilies, replicateImageFamilyOf } from "./image-families.ts";
import { createRequest, predictionSteps } from "./predictions.ts";

/** Makes a prediction for each request. The model is Replicate's name, such as `black-forest-labs/flux-schnell`. */
export const imagesProvider: ImagesProvider = {
  capabilities: (model) => replicateImageFamilyOf(model).capabilities,
  columns: replicateImageFamilies,
  exchange(request, { model }) {
    const family = replicateImageFamilyOf(model);
    const warnings = fitJob(request, family.capabilities);
    const body = new JobBody();
    const input = inputOf(request, family, body);
    return {
      request: createRequest(model, (fields) => body.write({ ...fields, input }, request.prompt), { waits: true }),
      steps: predictionSteps(),
      warnings,
      readError: readReplicateError,
      read: (answer) => readPictures(parseJobAnswer(answer)),
    };
  },
};

function inputOf(request: ImagesRequest, family: ReplicateImageFamily, body: JobBody): JsonObject {
  const { images, mask, several, quality } = family;
  const urls = request.images.map((image) => body.urlOf(image));
  const format = imageFormats.find((name) => name === request.outputFormat);
  const formatWord = format && family.formats[format];
  return {
    ...inputFieldsOf(request),
    prompt: request.prompt,
    ...(several && { num_outputs: request.n }),
    ...sizeOf(request, family),
    ...(formatWord !== undefined && { output_format: formatWord }),
    ...(quality && request.outputCompression !== undefined && { output_quality: request.outputCompression }),
    ...(images !== null && urls.length > 0 && { [images.field]: images.isList ? urls : urls[0] }),
    ...(mask !== null && request.mask !== null && { [mask]: body.urlOf(request.mask) }),
  };
}

/** A width and a height, or a ratio: that of the size, or the model's own word for one. */
function sizeOf({ pixels, size }: ImagesRequest, { ratios }: ReplicateImageFamily): JsonObject {
  if (size === undefined || size === "auto" || ratios?.length === 0) return {};
  if (ratios === null) return pixels === null ? {} : { ...pixels };
  return { aspect_ratio: pixels === null ? size : aspectRatioOf(pixels, ratios) };
}

/** The images of a prediction: an address, a list of them, or objects with one. */
function readPictures(prediction: JsonObject): ImagesAnswer {
  if (prediction.status !== "succeeded") throw faultOfPrediction(prediction);
  const { output } = prediction;
  const made: readonly unknown[] = Array.isArray(output) ? output : output === null ? [] : [output];
  return {
    created: null,
    images: made.map((picture) => madeImageAt(isObject(picture) ? picture.url : picture, null)),
    quality: null,
    usage: null,
  };
}
