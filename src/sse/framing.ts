import type { SseEvent } from "./event.ts";

/** Splits a byte stream into events, independent of chunk boundaries. */
export interface SseFramer {
  /** Returns the events that this chunk completes. Throws `EventTooLarge` if one exceeds the limit. */
  push(chunk: Uint8Array): SseEvent[];
  /** Returns the incomplete event at the end of the stream; null if there is none. */
  rest(): SseEvent | null;
}

export class EventTooLarge extends Error {
  override readonly name = "EventTooLarge";
}

const lineFeed = 0x0a;
const carriageReturn = 0x0d;

function positionOf(byte: number, chunk: Uint8Array, from: number): number {
  const at = chunk.indexOf(byte, from);
  return at < 0 ? chunk.length : at;
}

/**
 * An event ends at a blank line; a line ends with LF, CRLF or CR. Bytes are not decoded, so a chunk may end inside a
 * character. `maxEventBytes` bounds the buffer for an incomplete event.
 */
export function createSseFramer(maxEventBytes: number): SseFramer {
  let held: Uint8Array[] = [];
  let heldBytes = 0;
  // Whether the last byte ended a line, and whether it was a CR that an LF may follow.
  let atLineStart = true;
  let afterReturn = false;
  // Whether the current event has any byte other than the LF of a split CRLF.
  let hasContent = false;

  const take = (chunk: Uint8Array, from: number, to: number): SseEvent => {
    // Most chunks are exactly one event: avoid the cost of a subarray.
    const last = to - from === chunk.length ? chunk : chunk.subarray(from, to);
    if (held.length === 0) return { bytes: last };
    const bytes = Buffer.concat([...held, last]);
    held = [];
    heldBytes = 0;
    return { bytes };
  };

  return {
    push(chunk) {
      const events: SseEvent[] = [];
      let from = 0;
      // The next of each that has not been passed; beyond the chunk if there is none.
      let nextFeed = -1;
      let nextReturn = -1;
      for (let at = 0; at < chunk.length; at++) {
        const byte = chunk[at];
        if (byte === lineFeed && afterReturn) {
          afterReturn = false;
          // Its event went out with the CR: the LF follows alone, as the next event's bytes may be held back.
          if (at === 0 && held.length === 0) {
            events.push(take(chunk, 0, 1));
            from = 1;
          }
          continue;
        }
        afterReturn = byte === carriageReturn;
        if (byte !== lineFeed && byte !== carriageReturn) {
          atLineStart = false;
          hasContent = true;
          if (nextFeed < at) nextFeed = positionOf(lineFeed, chunk, at);
          if (nextReturn < at) nextReturn = positionOf(carriageReturn, chunk, at);
          at = Math.min(nextFeed, nextReturn) - 1;
          continue;
        }
        if (!atLineStart) {
          atLineStart = true;
          continue;
        }
        // A blank line ends the event, if it has content.
        if (!hasContent) continue;
        const end = afterReturn && chunk[at + 1] === lineFeed ? at + 2 : at + 1;
        events.push(take(chunk, from, end));
        from = end;
        hasContent = false;
      }
      if (from < chunk.length) {
        held.push(chunk.subarray(from));
        heldBytes += chunk.length - from;
        if (heldBytes > maxEventBytes) throw new EventTooLarge(`An event is larger than ${maxEventBytes} bytes.`);
      }
      return events;
    },
    rest() {
      return hasContent ? take(new Uint8Array(0), 0, 0) : null;
    },
  };
}
