import { readFields } from "../../../sse/event.ts";
import type { PassThroughForm } from "../../exchanges/pass-through.ts";
import { encodeGeminiError } from "../errors.ts";

/**
 * How a stream of chunks is written: `alt=sse` as events, without it as one JSON array whose items come one by one.
 */
export type StreamForm = "sse" | "array";

export interface StreamFramer {
  /** The wire's text for one chunk, given as JSON text. */
  chunk(json: string): string;
  /** The text that ends the stream. */
  end(): string;
}

const sse: StreamFramer = {
  chunk: (json) => `data: ${json}\n\n`,
  end: () => "",
};

export function openStreamFramer(form: StreamForm): StreamFramer {
  if (form === "sse") return sse;
  let begun = false;
  return {
    chunk(json) {
      const before = begun ? ",\n" : "[";
      begun = true;
      return before + json;
    },
    end: () => (begun ? "]" : "[]"),
  };
}

const encoder = new TextEncoder();

/** Writes a stream of a provider's events as one JSON array, for callers who leave out `alt=sse`. One a request. */
export function asJsonArray(): PassThroughForm {
  const framer = openStreamFramer("array");
  return {
    rewrite: (event) => encoder.encode(framer.chunk(readFields(event).data ?? "")),
    terminator: () => encoder.encode(framer.end()),
    fail(error, requestId) {
      const failure = JSON.stringify(encodeGeminiError(error, requestId));
      return encoder.encode(framer.chunk(failure) + framer.end());
    },
  };
}
