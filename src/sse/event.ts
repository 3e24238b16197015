/** One Server-Sent Event as it stood on the wire. */
export interface SseEvent {
  /** Its bytes, the blank line that ends it included: forwarding them changes nothing. */
  readonly bytes: Uint8Array;
}

/** The fields of an event that the vendors use. */
export interface SseFields {
  /** The `event:` line, null where there was none. */
  readonly event: string | null;
  /** The `data:` lines joined by a newline, null where the event is only comments. */
  readonly data: string | null;
}

const decoder = new TextDecoder();

/** Reads an event's lines, as the WHATWG specification of event streams says. */
export function readFields(event: SseEvent): SseFields {
  const text = decoder.decode(event.bytes);
  return readPlainFields(text) ?? readAllFields(text);
}

/** Reads what nearly every event of every vendor is: one `data: ` line, with or without its name before. Else null. */
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

/** An event that says nothing: a sign of life. */
export const sseComment: Uint8Array = encoder.encode(": keep-alive\n\n");

/** An event with one `data:` line. `data` must hold no newline, as JSON text never does. */
export function dataEvent(data: string): Uint8Array {
  return encoder.encode(`data: ${data}\n\n`);
}
