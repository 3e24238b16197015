/** One part of a form. */
export interface SandboxFormPart {
  /** As it was sent: `include[]`. */
  readonly name: string;
  /** Null if it is no file. */
  readonly filename: string | null;
  readonly contentType: string | null;
  readonly bytes: Uint8Array;
}

/** Takes a multipart body apart; null if it is none. */
export function readParts(body: Uint8Array, contentType: string): readonly SandboxFormPart[] | null {
  const [, quoted, bare] = /^multipart\/form-data;.*boundary=(?:"([^"]+)"|([^;\s]+))/i.exec(contentType) ?? [];
  const boundary = quoted ?? bare;
  if (boundary === undefined) return null;
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = Buffer.from(`--${boundary}`);
  const parts: SandboxFormPart[] = [];
  let at = bytes.indexOf(mark);
  while (at >= 0) {
    at += mark.length;
    if (bytes.toString("latin1", at, at + 2) === "--") return parts;
    const head = bytes.indexOf("\r\n\r\n", at);
    const next = bytes.indexOf(`\r\n--${boundary}`, head);
    if (head < 0 || next < 0) return null;
    const part = readPart(bytes.toString("utf8", at, head), bytes.subarray(head + 4, next));
    if (part === null) return null;
    parts.push(part);
    at = next + 2;
  }
  return null;
}

function readPart(head: string, bytes: Uint8Array): SandboxFormPart | null {
  const name = /;\s*name="([^"]*)"/i.exec(head)?.[1];
  if (name === undefined) return null;
  return {
    name,
    filename: /;\s*filename="([^"]*)"/i.exec(head)?.[1] ?? null,
    contentType: /^content-type:\s*(\S+)/im.exec(head)?.[1] ?? null,
    bytes,
  };
}

/** The text of a part. */
export function textOfPart({ bytes }: SandboxFormPart): string {
  return new TextDecoder().decode(bytes);
}
