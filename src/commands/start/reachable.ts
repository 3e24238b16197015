/** Replaces the wildcard address by the loopback address, which a client can use. */
export function reachable(url: string): string {
  return url.replace(/\/$/, "").replace("://0.0.0.0", "://127.0.0.1").replace("://[::]", "://[::1]");
}
