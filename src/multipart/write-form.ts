import type { StreamedBody } from "../http/request-body.ts";
import type { Content } from "../blobs/content.ts";

/** A part of a form to be sent. */
export type SentPart =
  | { readonly name: string; readonly value: string }
  | (Pick<Content, "size" | "stream"> & {
      readonly name: string;
      readonly filename: string;
      readonly contentType: string;
    });

/** A form to be sent: the value of its `content-type`, and a body of known length that can be sent several times. */
export interface SentForm {
  readonly contentType: string;
  readonly body: StreamedBody;
}

/** Writes a multipart body. Files are read as it is sent. */
export function formBody(parts: readonly SentPart[], boundary = randomBoundary()): SentForm {
  const heads = parts.map((part) => Buffer.from(`--${boundary}\r\n${headOf(part)}\r\n\r\n`));
  const values = parts.map((part) => ("value" in part ? Buffer.from(part.value) : null));
  const lineEnd = Buffer.from("\r\n");
  const last = Buffer.from(`--${boundary}--\r\n`);
  async function* pieces(): AsyncGenerator<Uint8Array> {
    for (const [index, part] of parts.entries()) {
      yield heads[index] ?? lineEnd;
      if ("value" in part) yield values[index] ?? lineEnd;
      else yield* part.stream();
      yield lineEnd;
    }
    yield last;
  }
  const lengths = parts.map((part, index) => {
    const size = "value" in part ? (values[index]?.length ?? 0) : part.size;
    return (heads[index]?.length ?? 0) + size + lineEnd.length;
  });
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    body: {
      length: lengths.reduce((sum, length) => sum + length, last.length),
      pieces: { [Symbol.asyncIterator]: pieces },
      texts: parts.map((part) => ("value" in part ? part.value : part.filename)).join("\n"),
    },
  };
}

function headOf(part: SentPart): string {
  const disposition = `Content-Disposition: form-data; name="${escapeName(part.name)}"`;
  if ("value" in part) return disposition;
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(part.contentType) ? part.contentType : "application/octet-stream";
  return `${disposition}; filename="${escapeName(part.filename)}"\r\nContent-Type: ${type}`;
}

/** As browsers write names (WHATWG, multipart/form-data encoding). */
function escapeName(name: string): string {
  return name.replaceAll("\r", "%0D").replaceAll("\n", "%0A").replaceAll('"', "%22");
}

function randomBoundary(): string {
  return `tollgate-${crypto.randomUUID()}`;
}
