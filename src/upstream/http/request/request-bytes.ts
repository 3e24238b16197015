import type { Socket } from "bun";

/** Bodies up to this length are copied behind the head, so that both leave in one packet. */
const maxCopied = 65_536;
/** Room for the head before a body that is copied. */
const headRoom = 16_384;
/** Requests are put together here: no character takes more than three bytes. What a socket does not take of it is copied. */
const scratch = Buffer.allocUnsafeSlow(headRoom + 3 * maxCopied);

const nothing = new Uint8Array(0);

/** Writes a request with its framing. Returns what the socket did not take (empty if it took all), or null if it is closed. */
export function writeRequest(
  socket: Socket<unknown>,
  head: string,
  body: string | Uint8Array | null,
): Uint8Array | null {
  if (body === null) return writeText(socket, head + (needsLength(head) ? "content-length: 0\r\n\r\n" : "\r\n"));
  if (body.length <= maxCopied) {
    const bodyBytes = copyBody(body);
    const framed = `${head}content-length: ${bodyBytes}\r\n\r\n`;
    const headBytes = Buffer.byteLength(framed);
    if (headBytes <= headRoom) {
      scratch.write(framed, headRoom - headBytes);
      return writeScratch(socket, headRoom - headBytes, headBytes + bodyBytes);
    }
  }
  const unsent = writeText(socket, `${head}content-length: ${Buffer.byteLength(body)}\r\n\r\n`);
  if (unsent === null) return null;
  const rest = typeof body === "string" ? Buffer.from(body) : body;
  return unsent.length > 0 ? Buffer.concat([unsent, rest]) : writeBytes(socket, rest);
}

/** Copies a body behind the room for the head and returns its bytes. */
function copyBody(body: string | Uint8Array): number {
  if (typeof body === "string") return scratch.write(body, headRoom);
  scratch.set(body, headRoom);
  return body.length;
}

function writeScratch(socket: Socket<unknown>, start: number, length: number): Uint8Array | null {
  const written = socket.write(scratch, start, length);
  if (written < 0) return null;
  return written === length ? nothing : Buffer.from(scratch.subarray(start + written, start + length));
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
