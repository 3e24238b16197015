import { createSseFramer } from "../../sse/framing.ts";
import { readFields } from "../../sse/event.ts";
import type { StreamDecoder } from "../codec.ts";
import { AnswerFault } from "../exchange.ts";
import { checkStructure } from "./bounded-json.ts";
import { maxEventBytes } from "./event-reader.ts";
import type { EventObserver } from "./observe-events.ts";

/**
 * Events are kept as bytes, for an estimate of the produced tokens, up to this many; beyond it they are decoded, so that a
 * long stream holds little memory.
 */
export const maxKeptBytes = 32 << 10;
const firstBytes = 1 << 10;

const nothing = Buffer.alloc(0);

/** What reads events into an observation. */
export interface EventReading {
  readonly decoder: StreamDecoder;
  readonly observer: EventObserver;
}

/** Events of a stream that have not been decoded, one after the other. One buffer costs less than thousands of small ones. */
export class KeptEvents {
  /** Set once one of them is broken: nothing is decoded from there on. */
  isBroken = false;
  #bytes = nothing;
  #length = 0;

  add(bytes: Uint8Array): void {
    const before = this.#length;
    const length = before + bytes.length;
    if (length > this.#bytes.length) {
      const grown = Buffer.allocUnsafeSlow(Math.max(length, this.#bytes.length * 2, firstBytes));
      this.#bytes.copy(grown, 0, 0, before);
      this.#bytes = grown;
    }
    this.#bytes.set(bytes, before);
    this.#length = length;
  }

  get isFull(): boolean {
    return this.#length > maxKeptBytes;
  }

  /** Decodes them all. One that is broken ends it: nothing behind it was an answer. */
  decode({ decoder, observer }: EventReading): void {
    const bytes = this.#bytes.subarray(0, this.#length);
    this.#bytes = nothing;
    this.#length = 0;
    if (bytes.length === 0 || this.isBroken) return;
    try {
      for (const event of createSseFramer(maxEventBytes).push(bytes)) {
        checkStructure(event.bytes);
        const { data } = readFields(event);
        if (data !== null) for (const said of decoder.push(data)) observer.see(said);
      }
    } catch (error) {
      if (!(error instanceof AnswerFault)) throw error;
      this.isBroken = true;
    }
  }
}
