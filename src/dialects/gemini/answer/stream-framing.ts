/**
 * How a stream of chunks is written: `alt=sse` as events, without it as one JSON array whose items come one by one.
 */
export type StreamForm = "sse" | "array";

export interface StreamFramer {
  /** The wire's text for one chunk, given as JSON text. */
  chunk(json: string): string;
  /** What ends the stream. */
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
