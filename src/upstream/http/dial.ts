import type { Socket, SocketHandler } from "bun";
import { unreachable, type Connection } from "./connection.ts";
import type { Origin } from "./exchange.ts";

/** Serve all connections: what is a connection's own is in `socket.data`. */
const plainHandlers: SocketHandler<Connection> = {
  open: (socket) => socket.data.opened(socket),
  data: (socket, bytes) => socket.data.received(bytes),
  end: (socket) => socket.data.peerEnded(),
  close: (socket, error) => socket.data.socketClosed(errorCode(error)),
  drain: (socket) => socket.data.drained(),
  error: (socket, error) => handlerFailed(socket, error),
};

/** Opens the connection to an origin. It reports to `connection`, never within this call. */
export function dial(origin: Origin, connection: Connection): void {
  Bun.connect({
    hostname: origin.hostname,
    port: origin.port,
    socket: plainHandlers,
    data: connection,
    // We close both sides ourselves: a provider that stops sending may still be told the rest of a request.
    allowHalfOpen: true,
  }).then(nothing, (error: unknown) => connection.failed(unreachable(reasonOf(error), errorCode(error))));
}

/** The socket comes with `open`. */
function nothing(): void {}

function handlerFailed(socket: Socket<Connection>, error: Error): void {
  socket.data.failed({ kind: "cut", message: `The exchange broke off: ${error.message}`, code: errorCode(error) });
}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : "no reason given");
}

function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
