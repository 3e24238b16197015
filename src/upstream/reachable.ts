/**
 * Whether a TCP connection to a URL's host can be made within `timeoutMs`. `fetch` does not tell a connection that is
 * slow to stand from an answer that is slow to come, so a call that is silent for long asks here.
 */
export async function isReachable(url: string, timeoutMs: number): Promise<boolean> {
  const { hostname, port, protocol } = new URL(url);
  const portNumber = port === "" ? (protocol === "https:" ? 443 : 80) : Number(port);
  const { promise, resolve } = Promise.withResolvers<boolean>();
  const timer = setTimeout(() => resolve(false), timeoutMs);
  const connecting = Bun.connect({
    hostname: hostname.replace(/^\[|\]$/g, ""),
    port: portNumber,
    socket: { open: () => resolve(true), data: () => {}, error: () => resolve(false) },
  }).then(
    // A connection that stands only after the answer was given is closed all the same.
    (socket) => void promise.finally(() => socket.end()),
    () => resolve(false),
  );
  void connecting;
  const reachable = await promise;
  clearTimeout(timer);
  return reachable;
}
