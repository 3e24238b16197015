import type { ReportedUsage } from "../../conversation/usage.ts";
import { ownBytes } from "../../http/own-bytes.ts";
import { AnswerFault, type AnswerStream } from "../exchange.ts";
import { asAnswerFault, joined } from "../exchanges/event-reader.ts";
import { joinedInSteps } from "../pictures/write-answer.ts";
import type { SoundStream } from "./sound-stream.ts";

/** What an answer in JSON holds. */
export interface CollectedSound {
  readonly sound: Uint8Array;
  readonly usage: ReportedUsage | null;
}

/**
 * Sound within a JSON answer, which is read whole before its first byte is passed on.
 * @param maxBytes a larger answer is a fault
 * @param read reads it in steps; rejects with an `AnswerFault` if there is no sound in it
 */
export function collectSound(
  sound: SoundStream,
  maxBytes: number,
  read: (answer: Uint8Array) => Promise<CollectedSound>,
): AnswerStream {
  let pieces: Uint8Array[] = [];
  let bytes = 0;
  let fault: AnswerFault | null = null;
  const refuse = (found: AnswerFault): null => {
    fault = found;
    pieces = [];
    return null;
  };
  return {
    keepAlive: null,
    finished: false,
    observation: sound,
    get contentType() {
      return sound.contentType;
    },
    get headers() {
      return sound.headers;
    },
    get started() {
      return sound.started;
    },
    get fault() {
      return fault ?? sound.fault;
    },
    push(piece) {
      if (fault !== null) return null;
      bytes += piece.length;
      if (bytes > maxBytes) return refuse(new AnswerFault(`The provider's answer is larger than ${maxBytes} bytes.`));
      pieces.push(ownBytes(piece));
      return null;
    },
    end() {
      throw new Error("Sound in JSON is read in steps.");
    },
    async endInSteps() {
      if (fault !== null) return null;
      try {
        const answer = joinedInSteps(pieces);
        pieces = [];
        const collected = await read(await answer);
        sound.usage = collected.usage;
        return joined([sound.push(collected.sound), sound.end()].filter((part) => part !== null));
      } catch (error) {
        return refuse(asAnswerFault(error));
      }
    },
    terminator: () => null,
    fail: () => null,
  };
}
