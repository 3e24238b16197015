import { chunksOf, dataOf, textOf } from "../sse-text.testkit.ts";

/** Reads a streamed answer incrementally, without keeping it in memory. */
export interface StreamReader {
  /** Processes the next part of the stream's text. */
  take(text: string): void;
  /** Which of the given texts it contains so far; null if none or another one. */
  readonly said: string | null;
  /** Whether the text is complete. */
  readonly saidAll: boolean;
  /** The number of events, including errors and ends. */
  readonly events: number;
  /** The data of the last event. */
  readonly last: string;
  /** `type code` of an error event, if that was the last event. */
  readonly error: string | null;
  /** The number of terminal events. */
  readonly ends: number;
  /** The incomplete event at the end. */
  readonly rest: string;
}

interface ErrorEvent {
  readonly error?: { readonly type: string; readonly code: string | null };
}

/** @param texts the expected texts, which must differ in their beginning */
export function openStreamReader(texts: readonly string[]): StreamReader {
  let possible = texts;
  let length = 0;
  let events = 0;
  let last = "";
  let ends = 0;
  let rest = "";
  const said = () => (length > 0 ? (possible[0] ?? null) : null);
  return {
    take(text) {
      const end = text.lastIndexOf("\n\n");
      if (end < 0) {
        rest += text;
        return;
      }
      const whole = rest + text.slice(0, end + 2);
      rest = text.slice(end + 2);
      const words = textOf(chunksOf(whole));
      possible = possible.filter((each) => each.startsWith(words, length));
      length += words.length;
      const data = dataOf(whole);
      events += data.length;
      ends += data.filter((each) => each === "[DONE]").length;
      last = data.at(-1) ?? last;
    },
    get said() {
      return said();
    },
    get saidAll() {
      return said()?.length === length;
    },
    get events() {
      return events;
    },
    get last() {
      return last;
    },
    get error() {
      if (last === "" || last === "[DONE]") return null;
      const { error } = JSON.parse(last) as ErrorEvent;
      return error ? `${error.type} ${error.code}` : null;
    },
    get ends() {
      return ends;
    },
    get rest() {
      return rest;
    },
  };
}
