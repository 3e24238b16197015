import { invalidParameter } from "../../errors.ts";
import type { Model } from "../../routing/names/model.ts";
import type { CapabilityUse } from "../operation.ts";
import type { VideoRequest } from "./video.ts";

/** Refuses what a model has not declared among its sizes and seconds. Throws a 400 that names the field. */
export function checkVideoModel({ seconds, size }: VideoRequest, { parameters }: Model): void {
  const { sizes, seconds: lengths } = parameters;
  if (size !== undefined && typeof sizes === "object" && !sizes.includes(size)) {
    throw invalidParameter("size", `one of ${sizes.join(", ")}`);
  }
  if (seconds !== undefined && typeof lengths === "object" && !lengths.some((each) => Number(each) === seconds)) {
    throw invalidParameter("seconds", `one of ${lengths.join(", ")}`);
  }
}

/** The capabilities that a request needs of a model. */
export function videoCapabilities({ image, remixOf }: VideoRequest): readonly CapabilityUse[] {
  const uses: CapabilityUse[] = [];
  if (image !== null) uses.push({ capability: "input_reference", field: "input_reference" });
  if (remixOf !== null) uses.push({ capability: "remix", field: "id" });
  return uses;
}
