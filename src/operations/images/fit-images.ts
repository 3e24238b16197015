import { unsupportedParameter } from "../../errors.ts";
import type { Support } from "../../conversation/fields/support.ts";
import { inputsField } from "./check-model.ts";
import { imageFields } from "./known-fields.ts";
import { imageFormats, type ImagesCapabilities, type ImagesRequest } from "./images.ts";

const knownFields: ReadonlySet<string> = new Set(imageFields);

/**
 * Holds a request against what a provider can do: the one place that decides on refusing and warning. A provider half that has
 * called it writes what is carried or emulated, and leaves out the rest. Returns the paths of the caller's fields that the provider will
 * not see. Throws a 400 that names the field.
 */
export function fitImages(request: ImagesRequest, capabilities: ImagesCapabilities): readonly string[] {
  const warnings: string[] = [];
  const check = (isUsed: boolean, field: string, support: Support) => {
    if (!isUsed) return;
    if (support.status === "refused") throw unsupportedParameter(field, support.why);
    if (support.status === "ignored") warnings.push(field);
  };
  const isSaid = (value: unknown) => value !== undefined && value !== "auto";
  if (request.kind === "image_edit") checkInputs(request, capabilities, check);
  check(request.n > 1, "n", capabilities.n);
  if (request.n > capabilities.maxImages) {
    throw unsupportedParameter("n", `This provider makes at most ${capabilities.maxImages} images in one request.`);
  }
  check(isSaid(request.size), "size", capabilities.size);
  check(isSaid(request.quality), "quality", capabilities.quality);
  check(request.style !== undefined, "style", capabilities.style);
  const isTransparent = request.background === "transparent";
  check(isSaid(request.background), "background", isTransparent ? capabilities.transparent : capabilities.background);
  check(isSaid(request.moderation), "moderation", capabilities.moderation);
  checkFormat(request, capabilities, check);
  check(request.outputCompression !== undefined, "output_compression", capabilities.outputCompression);
  const { responseFormat } = request;
  if (responseFormat !== undefined) check(true, "response_format", capabilities.responseFormat[responseFormat]);
  check(request.stream, "stream", capabilities.stream);
  check((request.partialImages ?? 0) > 0, "partial_images", capabilities.partialImages);
  check(request.inputFidelity !== undefined, "input_fidelity", capabilities.inputFidelity);
  for (const name in request.fields) {
    if (!knownFields.has(name)) check(request.fields[name] !== null, name, capabilities.otherFields);
  }
  return warnings;
}

type Check = (isUsed: boolean, field: string, support: Support) => void;

function checkInputs(
  request: ImagesRequest,
  { edits, imageUrl, mask, maxInputImages }: ImagesCapabilities,
  check: Check,
) {
  const { images } = request;
  const field = inputsField(request);
  check(true, field, edits);
  if (images.length > maxInputImages) {
    const many = maxInputImages === 1 ? "one image" : `at most ${maxInputImages} images`;
    throw unsupportedParameter(field, `This provider edits ${many} in one request.`);
  }
  for (const { path, source } of images) check(source.type === "url", path, imageUrl);
  check(request.mask !== null, request.mask?.path ?? "mask", mask);
}

function checkFormat({ outputFormat }: ImagesRequest, { formats, otherFields }: ImagesCapabilities, check: Check) {
  if (outputFormat === undefined) return;
  const known = imageFormats.find((name) => name === outputFormat);
  if (known !== undefined) check(true, "output_format", formats[known]);
  else if (otherFields.status !== "carried") {
    throw unsupportedParameter("output_format", `This provider has no format '${outputFormat.slice(0, 100)}'.`);
  }
}
