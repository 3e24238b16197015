import { invalidParameter } from "../../errors.ts";
import type { Model } from "../../routing/names/model.ts";
import type { CapabilityUse } from "../operation.ts";
import type { ImagesRequest } from "./images.ts";

/** Refuses what a model has not declared among its sizes, qualities, formats and limits. Throws a 400 that names the field. */
export function checkImagesModel(request: ImagesRequest, { id, parameters }: Model): void {
  const { sizes, qualities, formats, max_images: maxImages, max_input_images: maxInputs } = parameters;
  checkDeclared("size", request.size, sizes);
  checkDeclared("quality", request.quality, qualities);
  checkDeclared("output_format", request.outputFormat, formats);
  if (typeof maxImages === "number" && request.n > maxImages) {
    throw invalidParameter("n", `at most ${maxImages} for the model '${id}'`);
  }
  if (typeof maxInputs === "number" && request.images.length > maxInputs) {
    throw invalidParameter(inputsField(request), `at most ${maxInputs} for the model '${id}'`);
  }
}

/** The field that holds the images to be edited. */
export function inputsField({ sent }: ImagesRequest): string {
  return sent.kind === "json" ? "images" : "image";
}

function checkDeclared(
  field: string,
  value: string | undefined,
  declared: Model["parameters"][string] | undefined,
): void {
  // `auto` is the model's own choice among them.
  if (value === undefined || value === "auto" || typeof declared !== "object" || declared.includes(value)) return;
  throw invalidParameter(field, `one of ${declared.join(", ")}`);
}

/** The capabilities that a request needs of a model, by the names of their fields. */
export function imagesCapabilities(request: ImagesRequest): readonly CapabilityUse[] {
  const uses: CapabilityUse[] = [];
  const use = (isUsed: boolean, field: string, capability = field) => {
    if (isUsed) uses.push({ capability, field });
  };
  use(request.stream, "stream", "streaming");
  use(request.style !== undefined, "style");
  use(request.background !== undefined && request.background !== "auto", "background");
  use(request.outputCompression !== undefined, "output_compression");
  use((request.partialImages ?? 0) > 0, "partial_images");
  use(request.inputFidelity !== undefined, "input_fidelity");
  use(request.mask !== null, request.mask?.path ?? "mask", "mask");
  return uses;
}
