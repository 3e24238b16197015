/** Streams as bytes and back, for tests of stream codecs. */
import { readFields } from "../sse/event.ts";
import { createSseFramer } from "../sse/framing.ts";
import type { StreamEvent } from "../conversation/stream.ts";
import type { StreamDecoder, StreamEncoder } from "./codec.ts";

/** All the bytes of an encoded stream, its terminator included. */
export function encodeAll(encoder: StreamEncoder, events: readonly StreamEvent[]): Uint8Array {
  const text = events.map((event) => encoder.push(event)).join("") + encoder.terminator();
  return new TextEncoder().encode(text);
}

/** The events of a stream whose bytes arrive in chunks of `chunkSize`. */
export function decodeAll(decoder: StreamDecoder, bytes: Uint8Array, chunkSize: number): StreamEvent[] {
  const framer = createSseFramer(1_000_000);
  const events: StreamEvent[] = [];
  for (let at = 0; at < bytes.length; at += chunkSize) {
    for (const event of framer.push(bytes.subarray(at, at + chunkSize))) {
      const { data } = readFields(event);
      if (data !== null) events.push(...decoder.push(data));
    }
  }
  return [...events, ...decoder.end()];
}

/** The events of a stream given as the data of its events. */
export function decodeData(decoder: StreamDecoder, data: readonly string[]): StreamEvent[] {
  return [...data.flatMap((item) => decoder.push(item)), ...decoder.end()];
}
