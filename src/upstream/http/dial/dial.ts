import type { SocketHandler } from "bun";
import { unreachable, type Connection } from "../connection.ts";
import type { Proxy, Target } from "./proxy.ts";
import { Tunnel, tunnelHandlers } from "./tunnel.ts";

/** How an address is reached. */
export interface Way {
  readonly target: Target;
  readonly proxy: Proxy | null;
  /** Null for plain HTTP. */
  readonly tls: Bun.TLSOptions | null;
}

/** Serve all connections: what is a connection's own is in `socket.data`. */
const plainHandlers: SocketHandler<Connection> = {
  open: (socket) => socket.data.opened(socket),
  data: (socket, bytes) => socket.data.received(bytes),
  end: (socket) => socket.data.peerEnded(),
  close: (socket, error) => socket.data.socketClosed(errorCode(error)),
  drain: (socket) => socket.data.drained(),
  error: (socket, error) => socket.data.broke(error.message, errorCode(error)),
};

/** Nothing is written before the handshake has verified the certificate and the name in it. */
const tlsHandlers: SocketHandler<Connection> = {
  ...plainHandlers,
  open: (socket) => socket.data.establishing(socket),
  handshake(socket, success, error) {
    if (success && error === null && socket.authorized) socket.data.opened(socket);
    else socket.data.failed(unreachable(`TLS failed (${reasonOf(error)})`, errorCode(error)));
  },
};

/** Opens a connection. It reports to `connection`, never within this call. */
export function dial({ target, proxy, tls }: Way, connection: Connection): void {
  // We close both sides ourselves: a provider that stops sending may still receive the rest of a request.
  const allowHalfOpen = true;
  const { hostname, port } = proxy ?? target;
  let connecting: Promise<unknown>;
  if (tls === null) {
    connecting = Bun.connect({ hostname, port, allowHalfOpen, socket: plainHandlers, data: connection });
  } else if (proxy === null) {
    connecting = Bun.connect({ hostname, port, allowHalfOpen, socket: tlsHandlers, data: connection, tls });
  } else {
    const data = new Tunnel(
      {
        tunnelOpened: (socket) => connection.establishing(socket),
        tunnelStands: (socket) => void socket.upgradeTLS({ data: connection, tls, socket: tlsHandlers }),
        tunnelFailed: (reason, code) => connection.failed(unreachable(reason, code)),
      },
      target,
      proxy,
    );
    connecting = Bun.connect({ hostname, port, allowHalfOpen, socket: tunnelHandlers, data });
  }
  connecting.then(nothing, (error: unknown) => connection.failed(unreachable(reasonOf(error), errorCode(error))));
}

/** The socket comes with `open`. */
function nothing(): void {}

function reasonOf(error: unknown): string {
  return errorCode(error) ?? (error instanceof Error ? error.message : "no reason given");
}

function errorCode(error: unknown): string | null {
  return error instanceof Error && "code" in error && typeof error.code === "string" ? error.code : null;
}
