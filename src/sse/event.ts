/** One Server-Sent Event as received. */
export interface SseEvent {
  /** Its bytes, including the blank line at the end. */
  readonly bytes: Uint8Array;
}

/** The fields of an event that vendors use. */
export interface SseFields {
  /** The value of the `event:` line; null if there is none. */
  readonly event: string | null;
  /** The `data:` lines joined by a newline; null if there is none. */
  readonly data: string | null;
}

const decoder = new TextDecoder();

/** Parses an event according to the WHATWG specification of event streams. */
export function readFields(event: SseEvent): SseFields {
  const text = decoder.decode(event.bytes);
  return readPlainFields(text) ?? readAllFields(text);
}

/** Fast path for the common form: one `data: ` line, optionally after an `event: ` line. Null for other forms. */
function readPlainFields(text: string): SseFields | null {
  const isNamed = text.startsWith("event: ");
  const start = isNamed ? text.indexOf("\n") + 1 : 0;
  if (!text.startsWith("data: ", start)) return null;
  const ending = text.endsWith("\n\n") ? 2 : text.endsWith("\r\n\r\n") ? 4 : 0;
  const data = text.slice(start + 6, text.length - ending);
  const event = isNamed ? text.slice(7, start - 1) : null;
  const isPlain = ending > 0 && !hasLineEnd(data) && (event === null || !hasLineEnd(event));
  return isPlain ? { event, data } : null;
}

function hasLineEnd(text: string): boolean {
  return text.includes("\n") || text.includes("\r");
}

function readAllFields(text: string): SseFields {
  let name: string | null = null;
  let data: string | null = null;
  for (const line of text.split(/\r\n|\n|\r/)) {
    const colon = line.indexOf(":");
    if (colon === 0) continue;
    const field = colon < 0 ? line : line.slice(0, colon);
    const value = colon < 0 ? "" : line.slice(line.charAt(colon + 1) === " " ? colon + 2 : colon + 1);
    if (field === "data") data = data === null ? value : `${data}\n${value}`;
    else if (field === "event") name = value;
  }
  return { event: name, data };
}

const encoder = new TextEncoder();

export const sseContentType = "text/event-stream; charset=utf-8";

/** A keep-alive comment. */
export const sseComment: Uint8Array = encoder.encode(": keep-alive\n\n");

/** Creates an event with one `data:` line. `data` must not contain a newline; JSON text does not. */
export function dataEvent(data: string): Uint8Array {
  return encoder.encode(`data: ${data}\n\n`);
}
