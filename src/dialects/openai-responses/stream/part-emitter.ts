import type { Citation, Part, Signature } from "../../../conversation/parts.ts";
import type { TokenLogprob } from "../../../conversation/response.ts";
import type { StreamEvent } from "../../../conversation/stream.ts";

/** A part under way. */
export interface OpenPart {
  readonly index: number;
  readonly type: Part["type"];
  /** Characters reported so far, so that an event that repeats the whole text adds only the missing part. */
  sentLength: number;
  open: boolean;
}

/** Appends the events of an answer's parts to a list. What comes for a part that has ended is passed over. */
export interface PartEmitter {
  start(part: Part): OpenPart;
  append(part: OpenPart, text: string): void;
  sign(part: OpenPart, signature: Signature | undefined): void;
  cite(part: OpenPart, citation: Citation): void;
  logprobs(logprobs: readonly TokenLogprob[]): void;
  /** The number of log probabilities reported. */
  readonly logprobCount: number;
  end(part: OpenPart): void;
  readonly hasToolCalls: boolean;
  readonly hasRefusal: boolean;
}

export function openPartEmitter(events: StreamEvent[]): PartEmitter {
  let count = 0;
  let logprobCount = 0;
  let hasToolCalls = false;
  let hasRefusal = false;
  return {
    start(part) {
      const opened: OpenPart = { index: count++, type: part.type, sentLength: 0, open: true };
      if (part.type === "tool-call") hasToolCalls = true;
      if (part.type === "refusal") hasRefusal = true;
      events.push({ type: "part-start", candidate: 0, index: opened.index, part });
      return opened;
    },
    append(part, text) {
      if (text === "" || !part.open) return;
      part.sentLength += text.length;
      const at = { candidate: 0, index: part.index };
      events.push(
        part.type === "tool-call" ? { type: "input-delta", ...at, input: text } : { type: "text-delta", ...at, text },
      );
    },
    sign({ index, open }, signature) {
      if (open && signature !== undefined) events.push({ type: "signature-delta", candidate: 0, index, signature });
    },
    cite({ index, open }, citation) {
      if (open) events.push({ type: "citation-delta", candidate: 0, index, citation });
    },
    logprobs(logprobs) {
      logprobCount += logprobs.length;
      if (logprobs.length > 0) events.push({ type: "logprobs-delta", candidate: 0, logprobs });
    },
    get logprobCount() {
      return logprobCount;
    },
    end(part) {
      if (!part.open) return;
      part.open = false;
      events.push({ type: "part-end", candidate: 0, index: part.index });
    },
    get hasToolCalls() {
      return hasToolCalls;
    },
    get hasRefusal() {
      return hasRefusal;
    },
  };
}
