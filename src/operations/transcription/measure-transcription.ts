import type { Observation } from "../../dialects/exchange.ts";
import {
  type DimensionName,
  dimensionNames,
  listDimensions,
  type MutableQuantities,
  unitOf,
} from "../../dimensions.ts";
import { estimateTokens } from "../../metering/estimate.ts";
import type { Measurement, MeasurementSource, Usage } from "../../metering/usage.ts";
import { expectedSeconds, expectedSoundTokens } from "./expect-transcription.ts";
import type { TranscriptionRequest } from "./transcription.ts";

type Heard = Pick<TranscriptionRequest, "sound" | "file" | "prompt">;

/**
 * What a transcript has used, in the ways in which the model is priced: the seconds of the sound, or the tokens that the
 * provider reports. Without any price it is the seconds. They are all of them, also if the caller has left: providers charge
 * the file. Figures that the provider does not report are estimates: seconds are measured from the file, and tokens are worked
 * out from seconds and text.
 */
export async function measureTranscription(
  request: Heard,
  observation: Observation,
  isPriced: (name: DimensionName) => boolean,
): Promise<Usage> {
  const quantities: MutableQuantities = {};
  let measurement: Measurement | null = null;
  const hasTokens = tokenNames.some(isPriced);
  if (isPriced("second") || !hasTokens) {
    const reported = observation.usage?.quantities.second;
    quantities.second = reported ?? Math.round(expectedSeconds(request) * 1_000) / 1_000;
    const source = sourceOf(reported !== undefined);
    measurement = { input: source, output: source };
  }
  if (hasTokens) measurement = await measureTokens(request, observation, isPriced, quantities);
  return { dimensions: listDimensions(quantities), measurement };
}

const tokenNames = ["input", "input_audio", "output"] as const;

async function measureTokens(
  request: Heard,
  observation: Observation,
  isPriced: (name: DimensionName) => boolean,
  quantities: MutableQuantities,
): Promise<Measurement> {
  const { usage } = observation;
  for (const name of dimensionNames) {
    const quantity = usage?.quantities[name];
    if (quantity !== undefined && unitOf(name) === "token") quantities[name] = quantity;
  }
  const isReadReported = usage?.input === "final";
  const isWrittenReported = usage?.output === "final";
  if (!isReadReported) {
    const prompt = await estimateTokens(request.prompt ?? "");
    const sound = expectedSoundTokens(request);
    if (isPriced("input_audio")) [quantities.input, quantities.input_audio] = [prompt, sound];
    else quantities.input = prompt + sound;
  }
  if (!isWrittenReported) quantities.output = await estimateTokens(observation.producedText());
  return { input: sourceOf(isReadReported), output: sourceOf(isWrittenReported) };
}

function sourceOf(isReported: boolean): MeasurementSource {
  return isReported ? "provider" : "local_estimate";
}
