import { connect, createServer, type Socket } from "node:net";

/** A proxy to a server, which a test can interrupt. */
export interface Outage {
  /** The server's URL through the proxy. */
  readonly url: string;
  /** Closes all connections and refuses new ones, like a crashed server. */
  cut(): Promise<void>;
  /** Stops forwarding without closing, like a hanging server or network. */
  silence(): void;
  /** Forwards again. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Starts a proxy to the server of `url` on its own port. */
export async function createOutage(url: string): Promise<Outage> {
  const target = new URL(url);
  const sockets = new Set<Socket>();
  let silent = false;
  const server = createServer((near) => {
    const far = connect({ host: target.hostname, port: Number(target.port) });
    join(near, far);
    join(far, near);
  });
  const join = (from: Socket, to: Socket) => {
    sockets.add(from);
    from.on("data", (piece) => {
      if (!silent) to.write(piece);
    });
    from.on("error", () => from.destroy());
    from.on("close", () => {
      sockets.delete(from);
      if (!silent) to.destroy();
    });
  };
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  await listen(0);
  const address = server.address();
  const port = typeof address === "object" && address ? address.port : 0;
  const by = new URL(url);
  by.hostname = "127.0.0.1";
  by.port = String(port);

  const cut = async () => {
    const closed = server.listening ? new Promise((resolve) => server.close(resolve)) : null;
    for (const socket of sockets) socket.destroy();
    await closed;
  };
  return {
    url: by.href,
    cut,
    silence() {
      silent = true;
    },
    async restore() {
      // Dropped bytes are lost, so these connections are closed.
      if (silent) await cut();
      silent = false;
      if (!server.listening) await listen(port);
    },
    close: cut,
  };
}
