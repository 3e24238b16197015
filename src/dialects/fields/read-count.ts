import type { ReportedUsage } from "../../conversation/usage.ts";
import { addQuantity, maxQuantity, type MutableQuantities, type Quantities } from "../../dimensions.ts";
import { isObject, type JsonObject } from "../../json/values.ts";

/**
 * A count of a provider's: a whole number from 0 up to 10^9. Null for anything else, which counts as not reported: what
 * claims to be more is not a count, and must not reach arithmetic.
 */
export function readCount(value: unknown): number | null {
  return typeof value === "number" && Number.isInteger(value) && value >= 0 && value <= maxQuantity ? value : null;
}

/** The counts that were read. Dimensions of 0 are left out, except `input`; cache misses replace it. */
export function inputQuantities(
  input: number,
  cacheRead: number,
  cacheWrite: number,
  cacheMiss = 0,
): MutableQuantities {
  const quantities: MutableQuantities = cacheMiss > 0 ? {} : { input: 0 };
  addQuantity(quantities, "input", input);
  addQuantity(quantities, "cache_read", cacheRead);
  addQuantity(quantities, "cache_write", cacheWrite);
  addQuantity(quantities, "cache_miss", cacheMiss);
  return quantities;
}

/** Reads one usage object. `input` and `output` are null if the object does not report that side. */
export interface ReadUsage extends Pick<ReportedUsage, "reasoning"> {
  /** Owned by the report from now on. */
  readonly input: MutableQuantities | null;
  readonly output: number | null;
  /** Searches of a tool that the provider runs. */
  readonly searches?: number | null;
  /** Tokens of other kinds than text among those above; null if none are told. */
  readonly parts?: Quantities | null;
  /** What the provider calls the service tier; anything but a text counts as not reported. */
  readonly serviceTier?: unknown;
  readonly raw: JsonObject;
}

/** No vendor's word for a service tier is longer. */
const maxTierLength = 64;

export function reportOf(read: ReadUsage): ReportedUsage {
  const { input, output, searches, reasoning, parts = null, serviceTier, raw } = read;
  const quantities: MutableQuantities = input ?? {};
  if (output !== null) quantities.output = Math.min(output, maxQuantity);
  addQuantity(quantities, "web_search", searches ?? 0);
  return {
    quantities,
    input: input === null ? "none" : "final",
    output: output === null ? "none" : "final",
    ...(parts === null ? {} : { parts }),
    ...(typeof serviceTier === "string" ? { serviceTier: serviceTier.slice(0, maxTierLength) } : {}),
    reasoning,
    raw,
  };
}

/**
 * Reads the kinds of tokens from OpenAI's details of each side: audio and image tokens are parts of the side's count. Of
 * the cached ones among them the provider tells apart at most the sum; those are priced as cached.
 */
export function readOpenaiParts(inputDetails: unknown, outputDetails: unknown): Quantities | null {
  const input = isObject(inputDetails) ? inputDetails : {};
  const output = isObject(outputDetails) ? outputDetails : {};
  const cached = isObject(input.cached_tokens_details) ? input.cached_tokens_details : {};
  return partsOf({
    input_audio: (readCount(input.audio_tokens) ?? 0) - (readCount(cached.audio_tokens) ?? 0),
    input_image: (readCount(input.image_tokens) ?? 0) - (readCount(cached.image_tokens) ?? 0),
    output_audio: readCount(output.audio_tokens) ?? 0,
    output_image: readCount(output.image_tokens) ?? 0,
  });
}

/** The parts that are above 0; null if none is. */
export function partsOf(counts: Quantities): Quantities | null {
  const { input_audio = 0, input_image = 0, output_audio = 0, output_image = 0 } = counts;
  if (input_audio <= 0 && input_image <= 0 && output_audio <= 0 && output_image <= 0) return null;
  const parts: MutableQuantities = {};
  addQuantity(parts, "input_audio", input_audio);
  addQuantity(parts, "input_image", input_image);
  addQuantity(parts, "output_audio", output_audio);
  addQuantity(parts, "output_image", output_image);
  return parts;
}
