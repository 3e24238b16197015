import { toQuantity } from "../../dimensions.ts";
import { quickTextTokens } from "../../metering/estimate.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import type { SpeechRequest } from "./speech.ts";

/** Characters that are spoken in a second at the usual speed. */
const charactersPerSecond = 15;
/** An upper bound: not even digits that are spelled out take longer. Short texts begin and end with silence. */
const maxSecondsPerCharacter = 1;
const maxSilenceSeconds = 10;

/** Tokens that a second of speech is made of: 25 at Gemini, some 21 at OpenAI. */
export const tokensPerSecond = 25;
const maxTokensPerSecond = 32;
/** Tokens that a provider may put around the text. */
const maxHiddenTokens = 64;

type Spoken = Pick<SpeechRequest, "input" | "characters" | "instructions" | "speed">;

/**
 * The expected usage of a request for speech, in every way in which a model may be priced: by characters, which are known
 * exactly; by seconds; by tokens.
 */
export function expectSpeech(request: Spoken): ExpectedUsage {
  const { input, characters, instructions = "" } = request;
  return {
    isByPrice: true,
    expected: {
      character: toQuantity(characters),
      second: toQuantity(expectedSeconds(request)),
      input: toQuantity(quickTextTokens(input) + quickTextTokens(instructions)),
      output_audio: toQuantity(expectedSeconds(request) * tokensPerSecond),
    },
    max: () => {
      const seconds = toQuantity((characters * maxSecondsPerCharacter + maxSilenceSeconds) / speedOf(request));
      return {
        character: toQuantity(characters),
        second: seconds,
        // No tokenizer makes more than a token of a byte.
        input: toQuantity(Buffer.byteLength(input) + Buffer.byteLength(instructions) + maxHiddenTokens),
        output: toQuantity(seconds * maxTokensPerSecond),
      };
    },
    writes: null,
  };
}

/** How long a text is expected to take, in seconds. */
export function expectedSeconds(request: Pick<Spoken, "characters" | "speed">): number {
  return request.characters / charactersPerSecond / speedOf(request);
}

function speedOf({ speed = 1 }: Pick<Spoken, "speed">): number {
  return speed;
}
