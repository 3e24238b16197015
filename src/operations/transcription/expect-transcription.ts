import { toQuantity } from "../../dimensions.ts";
import { estimateTokens, quickTextTokens } from "../../metering/estimate.ts";
import type { ExpectedUsage } from "../../metering/expected-usage.ts";
import type { TranscriptionRequest } from "./transcription.ts";

/** Of a file that does not say how long it lasts: a usual bitrate, and one below that of every codec for speech. */
const usualBytesPerSecond = 16_000;
const minBytesPerSecond = 500;
/** Providers count whole seconds, and the silence that an encoder adds. */
const maxAddedSeconds = 1;

/** Tokens that a second of sound is read as: 32 at Gemini, some 17 at OpenAI. */
const tokensPerSecond = 32;
const maxTokensPerSecond = 64;
/** Tokens of the text that is said in a second. */
const writtenPerSecond = 5;
const maxWrittenPerSecond = 50;
/** Tokens that a provider may put around the sound and the transcript, and those of a model that thinks before. */
const maxHiddenTokens = 2_048;

type Heard = Pick<TranscriptionRequest, "sound" | "file" | "prompt">;

/** The expected usage of a request for a transcript, in every way in which a model may be priced: by seconds, or by tokens. */
export function expectTranscription(request: Heard): ExpectedUsage {
  const { prompt = "" } = request;
  const seconds = expectedSeconds(request);
  return {
    isByPrice: true,
    expected: {
      second: toQuantity(seconds),
      input: toQuantity(seconds * tokensPerSecond + quickTextTokens(prompt)),
      output: toQuantity(seconds * writtenPerSecond),
    },
    max: () => {
      const maxSeconds = toQuantity(maxSecondsOf(request) + maxAddedSeconds);
      return {
        second: maxSeconds,
        // No tokenizer makes more than a token of a byte.
        input: toQuantity(maxSeconds * maxTokensPerSecond + Buffer.byteLength(prompt) + maxHiddenTokens),
        output: toQuantity(maxSeconds * maxWrittenPerSecond + maxHiddenTokens),
      };
    },
    writes: null,
  };
}

/**
 * What a provider may count at most, in seconds. A file that says how long it lasts may say less than is in it, and the provider
 * would still be paid for all of it: a usual bitrate is the least that counts.
 */
function maxSecondsOf({ sound, file }: Pick<Heard, "sound" | "file">): number {
  return sound.seconds === null
    ? file.size / minBytesPerSecond
    : Math.max(sound.seconds, file.size / usualBytesPerSecond);
}

/** How long the sound lasts, or is expected to last, in seconds. */
export function expectedSeconds({ sound, file }: Pick<Heard, "sound" | "file">): number {
  return sound.seconds ?? file.size / usualBytesPerSecond;
}

/** What the sound is expected to be read as, in tokens. */
export function expectedSoundTokens(request: Pick<Heard, "sound" | "file">): number {
  return Math.ceil(expectedSeconds(request) * tokensPerSecond);
}

/** A careful figure of the tokens that a model reads. */
export async function estimateHeard(request: Heard): Promise<number> {
  return expectedSoundTokens(request) + (await estimateTokens(request.prompt ?? ""));
}
