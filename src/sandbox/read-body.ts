import type { IncomingMessage } from "node:http";
import { Refusal } from "./refusal.ts";

/** A longer body is refused. */
export const maxBodyBytes = 64 * 1024 * 1024;

/** Reads a whole request body. Throws a 413 for one that is too long, and an Error when the caller leaves. */
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
