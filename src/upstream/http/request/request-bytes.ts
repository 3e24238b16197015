import type { Socket } from "bun";

/** Bodies up to this size are copied behind the head, so that both leave in one packet. */
const copiedBytes = 65_536;

const nothing = new Uint8Array(0);

/** Writes a request with its framing. Returns what the socket did not take (empty if it took all), or null if it is closed. */
export function writeRequest(
  socket: Socket<unknown>,
  head: string,
  body: string | Uint8Array | null,
): Uint8Array | null {
  if (body === null) return writeText(socket, head + (needsLength(head) ? "content-length: 0\r\n\r\n" : "\r\n"));
  if (typeof body === "string") {
    return writeText(socket, `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`);
  }
  const framed = `${head}content-length: ${body.length}\r\n\r\n`;
  if (body.length <= copiedBytes) {
    const start = Buffer.byteLength(framed);
    const bytes = Buffer.allocUnsafe(start + body.length);
    bytes.write(framed);
    bytes.set(body, start);
    return writeBytes(socket, bytes);
  }
  const unsent = writeText(socket, framed);
  if (unsent === null) return null;
  return unsent.length > 0 ? Buffer.concat([unsent, body]) : writeBytes(socket, body);
}

/** Whether the method's requests have a body by their nature: without a length a server may wait for one. */
function needsLength(head: string): boolean {
  return head.startsWith("POST ") || head.startsWith("PUT ") || head.startsWith("PATCH ");
}

/** Writes a text; returns as `writeRequest`. */
export function writeText(socket: Socket<unknown>, text: string): Uint8Array | null {
  const written = socket.write(text);
  if (written < 0) return null;
  return written === Buffer.byteLength(text) ? nothing : Buffer.from(text).subarray(written);
}

/** Writes bytes; returns as `writeRequest`. */
export function writeBytes(socket: Socket<unknown>, bytes: Uint8Array): Uint8Array | null {
  const written = socket.write(bytes);
  if (written < 0) return null;
  return written === bytes.length ? nothing : bytes.subarray(written);
}
