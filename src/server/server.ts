import type { Socket, SocketHandler } from "bun";
import { Sweep } from "../http/sweep.ts";
import { Connection, type ConnectionHost } from "./connection.ts";
import type { ServerExchange } from "./exchange.ts";
import { type ServerLimits, usualLimits } from "./limits.ts";

export interface ServerOptions {
  readonly hostname: string;
  /** 0 for any that is free. */
  readonly port: number;
  /** Answers a request, now or later. */
  readonly handle: (exchange: ServerExchange) => void;
  /** Is told of what `handle` throws; its caller is answered with a plain 500. */
  readonly onError: (error: unknown) => void;
  readonly limits?: Partial<ServerLimits>;
  /** Monotonic milliseconds; `performance.now` unless given. */
  readonly now?: () => number;
}

/** An HTTP/1.1 server that listens. */
export interface Server {
  readonly port: number;
  /** Without a slash at its end. */
  readonly url: string;
  readonly connections: number;
  /**
   * Accepts no more connections, and closes each one after its present request, or at once if `force` is set. Resolves when all are
   * closed.
   */
  stop(force?: boolean): Promise<void>;
  /** Looks at all time limits now. It is called by itself; tests that set the clock call it. */
  check(): void;
}

/** How often time limits are checked. */
const tickMs = 250;

/** Begins to listen. Throws an error with the code `EADDRINUSE` if the port is taken: it is never shared. */
export function listen({ hostname, port, handle, onError, limits, now }: ServerOptions): Server {
  const connections = new Set<Connection>();
  const clock = now ?? (() => performance.now());
  const stopped = Promise.withResolvers<void>();
  let isStopping = false;
  const host: ConnectionHost = {
    limits: { ...usualLimits, ...limits },
    sweep: new Sweep(clock, tickMs),
    get isStopping() {
      return isStopping;
    },
    now: clock,
    handle,
    onError,
    closed(connection) {
      connections.delete(connection);
      if (isStopping && connections.size === 0) stopped.resolve();
    },
  };
  const listener = Bun.listen<Connection | null>({
    hostname,
    port,
    allowHalfOpen: true,
    exclusive: true,
    data: null,
    socket: handlersOf(host, connections),
  });
  const name = listener.hostname.includes(":") ? `[${listener.hostname}]` : listener.hostname;
  return {
    port: listener.port,
    url: `http://${name}:${listener.port}`,
    get connections() {
      return connections.size;
    },
    stop(force = false) {
      isStopping = true;
      listener.stop();
      for (const connection of connections) {
        if (force) connection.close();
        else connection.closeIfIdle();
      }
      if (connections.size === 0) stopped.resolve();
      return stopped.promise;
    },
    check: () => host.sweep.check(),
  };
}

const tooMany = Buffer.from(
  "HTTP/1.1 503 Service Unavailable\r\nretry-after: 1\r\nconnection: close\r\ncontent-length: 0\r\n\r\n",
);

function handlersOf(host: ConnectionHost, connections: Set<Connection>): SocketHandler<Connection | null> {
  const open = (socket: Socket<Connection | null>): Connection => {
    const connection = new Connection(host, socket as Socket<Connection>);
    socket.data = connection;
    connections.add(connection);
    return connection;
  };
  return {
    open(socket) {
      if (connections.size < host.limits.maxConnections) open(socket);
      else socket.end(tooMany);
    },
    data: (socket, bytes) => socket.data?.received(bytes),
    drain: (socket) => socket.data?.drained(),
    end(socket) {
      if (socket.data) socket.data.peerEnded();
      else socket.end();
    },
    close: (socket) => socket.data?.socketClosed(),
    error(socket, error) {
      host.onError(error);
      socket.data?.close();
    },
  };
}
