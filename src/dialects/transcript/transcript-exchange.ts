import type { TranscriptionRequest } from "../../operations/transcription/transcription.ts";
import type { Exchange } from "../exchange.ts";
import { parseBody, parseLargeBody } from "../exchanges/through-neutral.ts";
import { wholeOnly } from "../exchanges/whole-only.ts";
import type { Transcript } from "./transcript.ts";
import { transcriptAsStream } from "./transcript-stream.ts";
import { writeTranscript } from "./write-transcript.ts";

/** An exchange whose answer is JSON of the provider's own, in one piece. */
export function transcriptExchange(
  asked: TranscriptionRequest,
  exchange: Pick<Exchange, "request" | "warnings" | "readError"> & {
    /** Reads the answer. Throws an `AnswerFault` if it has no transcript. */
    readonly decode: (answer: unknown) => Transcript;
  },
): Exchange {
  const { request, warnings, readError, decode } = exchange;
  const readWhole = (body: Uint8Array) => writeTranscript(decode(parseBody(body)), asked);
  return {
    ...wholeOnly({
      request,
      warnings,
      readError,
      readWhole,
      readLarge: async (body) => writeTranscript(decode(await parseLargeBody(body)), asked),
    }),
    wholeAsStream: (body) => transcriptAsStream(readWhole(body)),
  };
}
