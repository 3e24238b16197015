import type { Support } from "../../conversation/fields/support.ts";
import { unsupportedParameter } from "../../errors.ts";
import type { VideoCapabilities, VideoRequest } from "./video.ts";

/**
 * Holds a request against what a provider can do: the one place that decides on refusing and warning. Returns the paths of
 * the caller's fields that the provider will not see. Throws a 400 that names the field.
 */
export function fitVideo(request: VideoRequest, capabilities: VideoCapabilities): readonly string[] {
  const warnings: string[] = [];
  const check = (field: string, support: Support) => {
    if (support.status === "refused") throw unsupportedParameter(field, support.why);
    if (support.status === "ignored") warnings.push(field);
  };
  if (request.seconds !== undefined) check("seconds", capabilities.seconds);
  if (request.size !== undefined) check("size", capabilities.size);
  if (request.image?.kind === "file") check("input_reference", capabilities.imageFile);
  if (request.image?.kind === "url") check("input_reference.image_url", capabilities.imageUrl);
  if (request.remixOf !== null) check("id", capabilities.remix);
  for (const name in request.otherFields) {
    if (request.otherFields[name] !== null) check(name, capabilities.otherFields);
  }
  return warnings;
}
