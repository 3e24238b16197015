import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** Maximum size of a body. */
export const maxBodyBytes = 64 * 1024 * 1024;

/** Reads a request body. Throws a 413 if it is too long, and an Error if the caller disconnects. */
export async function readBody(request: IncomingMessage): Promise<Uint8Array> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Uint8Array>) {
    length += part.length;
    if (length > maxBodyBytes) {
      throw new Refusal(413, `The request body is larger than ${maxBodyBytes} bytes.`, { code: "request_too_large" });
    }
    parts.push(part);
  }
  return Buffer.concat(parts);
}
