/** The texts of requests and answers, in any dialect, of the size that real chat traffic has. */

export const instructions = "You are a helpful assistant. Answer in one short paragraph.";
export const question = "What does a gateway in front of model providers do with each request?";
export const answerModel = "bench-upstream-1";
/** Unix seconds. */
export const answerTime = 1_760_000_000;
export const tokens = { input: 24, output: 98 } as const;

/** Separately flushed pieces of a streamed answer. */
export const chunksPerStream = 100;
/** Between two chunks. */
export const chunkPauseSeconds = 0.001;
/** Of a stream that is held open: one chunk a second, for longer than any run holds it. */
export const heldStreamSeconds = 60;

export const words = ["Every", " request", " is", " authenticated,", " routed,", " metered,", " charged", " once."];
/** The text of an answer that is not streamed. */
export const answerText = words.join("").repeat(4);
/** The texts of a streamed answer, one a chunk. The two chunks after them end it. */
export const streamedTexts = Array.from(
  { length: chunksPerStream - 2 },
  (_, index) => words[index % words.length] ?? "",
);

/** A Server-Sent Event with one `data:` line. */
export function dataEvent(data: object): string {
  return `data: ${JSON.stringify(data)}\n\n`;
}

/** One that has its type as its name too. */
export function namedEvent(data: { readonly type: string; readonly [field: string]: unknown }): string {
  return `event: ${data.type}\n${dataEvent(data)}`;
}
