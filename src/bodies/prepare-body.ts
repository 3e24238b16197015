import { parseExactly } from "../json/exact-numbers.ts";
import { joinEvents } from "./join-events.ts";
import { formType, isEventStream, isJson, isJsonLines, type KeptBody, type RawBody } from "./kept-body.ts";
import type { Redaction } from "./redact-value.ts";
import type { Redactions } from "./redact-text.ts";

/** Makes of a body what is kept of it: without what is to be taken out, and no longer than `maxBytes`. Never throws. */
export function prepareBody(body: RawBody, redaction: Redaction, maxBytes: number): KeptBody {
  if (body.kind === "omitted") {
    return { ...facts(body.contentType, body.bytes), text: null, omitted: body.why, isTruncated: false, redactions: 0 };
  }
  const { contentType, bytes, isCut } = measure(body);
  const redactions: Redactions = { count: 0 };
  try {
    const whole = textOf(body, redaction, redactions);
    const text = cutAt(whole.replaceAll("\0", "\ufffd").toWellFormed(), maxBytes);
    const isTruncated = isCut || text.length < whole.length;
    return { ...facts(contentType, bytes), text, omitted: null, isTruncated, redactions: redactions.count };
  } catch {
    // Nothing is kept to which the rules could not be applied.
    return { ...facts(contentType, bytes), text: null, omitted: "unreadable", isTruncated: false, redactions: 0 };
  }
}

function facts(contentType: string, bytes: number): Pick<KeptBody, "contentType" | "bytes"> {
  return { contentType: contentType.slice(0, 200), bytes };
}

function measure(body: Exclude<RawBody, { kind: "omitted" }>) {
  if (body.kind === "text") {
    return { contentType: body.contentType, bytes: Buffer.byteLength(body.text), isCut: false };
  }
  if (body.kind === "form") {
    const bytes = body.parts.reduce((sum, { value, file }) => sum + (file?.bytes ?? Buffer.byteLength(value ?? "")), 0);
    return { contentType: formType, bytes, isCut: false };
  }
  const { contentType, bytes, pieces } = body;
  return { contentType, bytes, isCut: pieces.reduce((sum, { length }) => sum + length, 0) < bytes };
}

function textOf(body: Exclude<RawBody, { kind: "omitted" }>, redaction: Redaction, redactions: Redactions): string {
  if (body.kind === "form") {
    const members = Map.groupBy(body.parts, ({ name }) => name);
    const value = [...members].map(([name, parts]) => {
      const [first, ...others] = parts.map(({ value, file }) => value ?? file);
      return [name, others.length === 0 ? first : [first, ...others]];
    });
    return JSON.stringify(redaction.value(Object.fromEntries(value), redactions));
  }
  if (body.kind === "bytes" && isEventStream(body.contentType)) {
    return joinEvents(body.pieces)
      .map(({ event, value, data }) => {
        const name = event === null ? "" : `event: ${event}\n`;
        const text =
          value === null ? redaction.document(data, redactions) : JSON.stringify(redaction.value(value, redactions));
        return `${name}data: ${text.replaceAll("\n", "\ndata: ")}\n\n`;
      })
      .join("");
  }
  const text = body.kind === "text" ? body.text : new TextDecoder().decode(Buffer.concat(body.pieces));
  if (isJsonLines(body.contentType)) {
    return text
      .split("\n")
      .map((line) => redaction.document(line, redactions))
      .join("\n");
  }
  if (!isJson(body.contentType) || text === "") return redaction.document(text, redactions);
  return JSON.stringify(redaction.value(parseExactly(text), redactions));
}

/** The beginning of a text that takes no more bytes in UTF-8. */
function cutAt(text: string, maxBytes: number): string {
  if (text.length * 3 <= maxBytes || Buffer.byteLength(text) <= maxBytes) return text;
  const decoder = new TextDecoder();
  // A character that was cut in two is held back.
  return decoder.decode(Buffer.from(text).subarray(0, maxBytes), { stream: true });
}
