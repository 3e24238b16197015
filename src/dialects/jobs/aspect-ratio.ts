import { unsupportedParameter } from "../../errors.ts";
import type { Pixels } from "../../operations/images/images.ts";

/** How far a ratio may be from what was asked for: 1792x1024 is 16:9. */
const maxRatioError = 0.04;

/** The one of the ratios, such as `16:9`, that a size has. Throws a 400 that names `size` if it has none. */
export function aspectRatioOf({ width, height }: Pixels, ratios: readonly string[]): string {
  const asked = width / height;
  for (const ratio of ratios) {
    const [across = 1, down = 1] = ratio.split(":").map(Number);
    if (Math.abs(asked / (across / down) - 1) <= maxRatioError) return ratio;
  }
  throw unsupportedParameter("size", `This provider makes this model's output in the ratios ${ratios.join(", ")}.`);
}
