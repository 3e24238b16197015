import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A proxy that refuses all that is asked of it, and remembers where clients wanted to go. */
export interface RefusingProxy {
  readonly url: string;
  /** The hosts that were asked for since the last call. */
  takeHosts(): string[];
  stop(): void;
}

export async function startRefusingProxy(): Promise<RefusingProxy> {
  let hosts = new Set<string>();
  const server = createServer((request, response) => {
    hosts.add(request.headers.host ?? "?");
    response.writeHead(403).end();
  });
  server.on("connect", (request, socket) => {
    hosts.add(request.url ?? "?");
    socket.on("error", () => socket.destroy());
    socket.end("HTTP/1.1 403 Forbidden\r\n\r\n");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    takeHosts() {
      const taken = [...hosts];
      hosts = new Set();
      return taken;
    },
    stop: () => void server.close(),
  };
}
