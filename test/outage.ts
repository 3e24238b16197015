import { connect, createServer, type Socket } from "node:net";

/** The way to a server, which a test may break: what is behind it runs on, and cannot be reached. */
export interface Outage {
  /** The server's address by this way. */
  readonly url: string;
  /** Breaks every connection and refuses new ones, as a server that has died. */
  cut(): Promise<void>;
  /** Lets nothing through and closes nothing, as a server that hangs or a network that has gone silent. */
  silence(): void;
  /** Lets everything through again. */
  restore(): Promise<void>;
  close(): Promise<void>;
}

/** Makes a way to the server of `url`, by a port of its own. */
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
      // What was swallowed is lost: those who wait for it must begin anew.
      if (silent) await cut();
      silent = false;
      if (!server.listening) await listen(port);
    },
    close: cut,
  };
}
