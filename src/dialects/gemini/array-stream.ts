import { readFields } from "../../sse/event.ts";
import type { AnswerStream } from "../exchange.ts";
import { encodeGeminiError } from "./errors.ts";
import { openStreamFramer, streamContentTypes } from "./stream-framing.ts";

const encoder = new TextEncoder();

/** A stream of a provider's events as one JSON array, for callers who leave out `alt=sse`. */
export function asJsonArray(stream: AnswerStream): AnswerStream {
  const framer = openStreamFramer("array");
  return {
    push(event) {
      const passed = stream.push(event);
      const data = passed && readFields(event).data;
      return data ? encoder.encode(framer.chunk(data)) : null;
    },
    end: () => stream.end(),
    terminator: () => encoder.encode(framer.end()),
    fail(error, requestId) {
      const said = JSON.stringify(encodeGeminiError(error, requestId));
      return encoder.encode(framer.chunk(said) + framer.end());
    },
    contentType: streamContentTypes.array,
    keepAlive: stream.keepAlive,
    get started() {
      return stream.started;
    },
    get finished() {
      return stream.finished;
    },
    observation: stream.observation,
  };
}
