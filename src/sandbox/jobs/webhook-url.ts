/** An address of this machine alone: the sandbox calls no others. Null if it is none. */
export function webhookUrl(value: unknown): string | null {
  const url = typeof value === "string" ? URL.parse(value) : null;
  return url?.protocol === "http:" && (url.hostname === "127.0.0.1" || url.hostname === "localhost") ? url.href : null;
}
