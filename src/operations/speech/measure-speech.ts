import type { Observation } from "../../dialects/exchange.ts";
import { type DimensionName, listDimensions, type MutableQuantities, sumOf } from "../../dimensions.ts";
import { estimateTokens } from "../../metering/estimate.ts";
import type { Measurement, MeasurementSource, Usage } from "../../metering/usage.ts";
import { expectedSeconds, tokensPerSecond } from "./expect-speech.ts";
import type { SpeechRequest } from "./speech.ts";

/**
 * What speech has used, in the ways in which the model is priced: the characters of the text, the seconds of sound that
 * have passed, or the tokens that the provider reports. Without any price it is the characters. Characters are all of
 * them, also if the caller has left: providers charge the text. Figures that the provider does not report are estimates:
 * seconds are measured from the bytes, and tokens are worked out from text and seconds.
 */
export async function measureSpeech(
  request: SpeechRequest,
  observation: Observation,
  isPriced: (name: DimensionName) => boolean,
): Promise<Usage> {
  const hasTokens = tokenNames.some(isPriced);
  const quantities: MutableQuantities = {};
  let measurement: Measurement | null = null;
  if (isPriced("character") || !(isPriced("second") || hasTokens)) quantities.character = request.characters;
  if (isPriced("second")) {
    quantities.second = secondsOf(request, observation);
    measurement = { input: "local_estimate", output: "local_estimate" };
  }
  if (hasTokens) {
    const { usage } = observation;
    const read = usage?.input === "final" ? sumOf(usage.quantities, "token", "input") : null;
    const written = usage?.output === "final" ? sumOf(usage.quantities, "token", "output") : null;
    quantities.input = read ?? (await estimateRead(request));
    quantities[isPriced("output_audio") ? "output_audio" : "output"] =
      written ?? Math.ceil(secondsOf(request, observation) * tokensPerSecond);
    measurement = { input: sourceOf(read), output: sourceOf(written) };
  }
  return { dimensions: listDimensions(quantities), measurement };
}

const tokenNames = ["input", "output", "output_audio"] as const;

function sourceOf(reported: number | null): MeasurementSource {
  return reported === null ? "local_estimate" : "provider";
}

/** To the millisecond. Of a format whose bytes do not tell, what the text is expected to take. */
function secondsOf(request: SpeechRequest, { soundSeconds }: Observation): number {
  return Math.round((soundSeconds ?? expectedSeconds(request)) * 1_000) / 1_000;
}

/** A careful figure of the tokens that a model reads. */
export async function estimateRead({ input, instructions = "" }: SpeechRequest): Promise<number> {
  return (await estimateTokens(input)) + (await estimateTokens(instructions));
}
