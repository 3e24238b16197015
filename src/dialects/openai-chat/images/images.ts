import { checkImagesModel, imagesCapabilities } from "../../../operations/images/check-model.ts";
import { expectImages } from "../../../operations/images/expect-images.ts";
import type { ImagesRequest } from "../../../operations/images/images.ts";
import { imagesExchange } from "../../../operations/images/images-exchange.ts";
import { estimateImagesRead, measureImages } from "../../../operations/images/measure-images.ts";
import type { Operation } from "../../../operations/operation.ts";
import { openaiAttribution } from "../attribution.ts";
import { openaiErrorFormat } from "../errors.ts";
import { readEdit, readGeneration } from "./read-images.ts";

/** What both operations have in common. */
const common = {
  method: "POST",
  keyHeader: null,
  errorFormat: openaiErrorFormat,
  capabilities: imagesCapabilities,
  checkModel: checkImagesModel,
  expectedUsage: expectImages,
  measure: measureImages,
  // A prompt is bounded by itself.
  size: () => 0,
  estimateInput: estimateImagesRead,
  attribution: ({ fields }) => openaiAttribution(fields),
  exchange: imagesExchange,
} as const satisfies Partial<Operation<ImagesRequest>>;

/** `POST /v1/images/generations`: images by a text. */
export const imagesGenerations: Operation<ImagesRequest> = {
  ...common,
  endpoint: "images_generations",
  paths: ["/v1/images/generations"],
  body: "json",
  read: readGeneration,
};

/** `POST /v1/images/edits`: images by a text and other images, sent as a form or named in JSON. */
export const imagesEdits: Operation<ImagesRequest> = {
  ...common,
  endpoint: "images_edits",
  paths: ["/v1/images/edits"],
  body: "json_or_multipart",
  read: readEdit,
};
