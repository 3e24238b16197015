import type { ReportedUsage } from "../../conversation/usage.ts";
import type { AnswerStream } from "../exchange.ts";

/**
 * Passes bytes on as they come: audio, an image, a file. They cannot report that they were cut off, so a fault
 * breaks the connection.
 * @param usage what the whole of it has used, if that is known beforehand
 */
export function passBytes(contentType: string, usage: ReportedUsage | null): AnswerStream {
  let started = false;
  return {
    contentType,
    keepAlive: null,
    fault: null,
    finished: false,
    get started() {
      return started;
    },
    observation: { responseId: null, usage, producedText: () => "" },
    push(piece) {
      started = true;
      return piece;
    },
    end: () => null,
    terminator: () => null,
    fail: () => null,
  };
}
