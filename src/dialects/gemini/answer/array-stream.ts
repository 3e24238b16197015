import { readFields } from "../../../sse/event.ts";
import type { PassThroughForm } from "../../exchanges/pass-through.ts";
import { encodeGeminiError } from "../errors.ts";
import { openStreamFramer } from "./stream-framing.ts";

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
