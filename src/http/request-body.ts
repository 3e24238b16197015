/** A request body that is read while it is sent. */
export interface StreamedBody {
  /** In bytes; null if it is not known, and then the body is sent chunked. */
  readonly length: number | null;
  readonly pieces: AsyncIterable<Uint8Array>;
  /** The texts in it, which an error of the provider may quote, if it is not one text itself. */
  readonly texts?: string;
}

/** What an error of the provider may quote of a request. */
export function quotableText(body: RequestBody): string | Uint8Array {
  if (body === null) return "";
  return typeof body === "string" || body instanceof Uint8Array ? body : (body.texts ?? "");
}

/** A string is sent as UTF-8. */
export type RequestBody = string | Uint8Array | StreamedBody | null;
