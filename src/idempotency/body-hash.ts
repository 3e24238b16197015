/**
 * What a request asks for, as 64 hexadecimal digits: its path (which may name the model), its query (which may choose the
 * form of the answer) less the API key, and its body.
 */
export function bodyHash(path: string, url: string, body: string | Uint8Array): string {
  return new Bun.CryptoHasher("sha256")
    .update(`${path}${queryOf(url)}\0`)
    .update(body)
    .digest("hex");
}

function queryOf(url: string): string {
  const at = url.indexOf("?");
  if (at === -1) return "";
  const parameters = new URLSearchParams(url.slice(at));
  parameters.delete("key");
  return parameters.size === 0 ? "" : `?${parameters.toString()}`;
}
