import type { ReportedUsage } from "../conversation/usage.ts";
import { inputDimensions, tokenDimension } from "./dimensions.ts";
import type { Dimension, MeasurementSource, Usage } from "./usage.ts";

/** Local figures for what a provider does not report. Asked only when they are needed. */
export interface UsageEstimates {
  readonly input: () => Promise<number>;
  readonly output: () => Promise<number>;
}

interface MeasuredSide {
  readonly dimensions: readonly Dimension[];
  readonly source: MeasurementSource;
}

/**
 * What a request consumed. Each side is measured by itself: as the provider reported it, else estimated, and where the
 * estimate fails, 0 and `unavailable`. At once where the provider reported both.
 */
export function measure(reported: ReportedUsage | null, estimates: UsageEstimates): Usage | Promise<Usage> {
  const input = reported?.input ?? null;
  const output = reported?.output ?? null;
  if (input !== null && output !== null) {
    const dimensions = inputDimensions(input);
    dimensions.push(tokenDimension("output", output));
    return { dimensions, measurement: { input: "provider", output: "provider" } };
  }
  return measureSides(
    input === null
      ? estimated("input", estimates.input)
      : Promise.resolve({ dimensions: inputDimensions(input), source: "provider" }),
    output === null
      ? estimated("output", estimates.output)
      : Promise.resolve({ dimensions: [tokenDimension("output", output)], source: "provider" }),
  );
}

async function measureSides(readsInput: Promise<MeasuredSide>, readsOutput: Promise<MeasuredSide>): Promise<Usage> {
  const [input, output] = await Promise.all([readsInput, readsOutput]);
  return {
    dimensions: [...input.dimensions, ...output.dimensions],
    measurement: { input: input.source, output: output.source },
  };
}

async function estimated(name: "input" | "output", estimate: () => Promise<number>): Promise<MeasuredSide> {
  try {
    return { dimensions: [tokenDimension(name, await estimate())], source: "local_estimate" };
  } catch {
    // A request must end in its record even so; the record says that nobody knows.
    return { dimensions: [tokenDimension(name, 0)], source: "unavailable" };
  }
}
