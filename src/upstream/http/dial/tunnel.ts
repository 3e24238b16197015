import type { Socket, SocketHandler } from "bun";
import { AnswerParser, Found } from "../answer/answer-parser.ts";
import type { Proxy, Target } from "./proxy.ts";

/** Receives the events of a tunnel. */
export interface TunnelOwner {
  /** The proxy is reached. */
  tunnelOpened(socket: Socket<Tunnel>): void;
  /** The provider's side is reached: speak TLS from here on. */
  tunnelStands(socket: Socket<Tunnel>): void;
  tunnelFailed(reason: string, code: string | null): void;
}

/** Asks a proxy to connect us to a provider (CONNECT), before TLS begins on the same socket. */
export class Tunnel {
  readonly #owner: TunnelOwner;
  readonly #request: string;
  readonly #parser = new AnswerParser();
  /** From then on the socket's bytes belong to TLS. */
  #done = false;

  constructor(owner: TunnelOwner, { hostname, port }: Target, { authorization }: Proxy) {
    const authority = `${hostname.includes(":") ? `[${hostname}]` : hostname}:${port}`;
    this.#owner = owner;
    this.#request = `CONNECT ${authority} HTTP/1.1\r\nhost: ${authority}\r\n${authorization}\r\n`;
    // An answer to CONNECT has no body that matters.
    this.#parser.reset(true);
  }

  opened(socket: Socket<Tunnel>): void {
    this.#owner.tunnelOpened(socket);
    if (this.#done) return;
    if (socket.write(this.#request) !== Buffer.byteLength(this.#request))
      this.failed("the proxy takes no request", null);
  }

  received(socket: Socket<Tunnel>, bytes: Buffer): void {
    if (this.#done) return;
    const parser = this.#parser;
    parser.give(bytes);
    switch (parser.next()) {
      case Found.nothing:
        return;
      case Found.head: {
        const status = parser.head?.status ?? 0;
        if (status >= 300) this.failed(`the proxy refused to connect to it (HTTP ${status})`, null);
        else if (parser.hasInput) this.failed("the proxy speaks before TLS begins", null);
        else {
          this.#done = true;
          this.#owner.tunnelStands(socket);
        }
        return;
      }
      default:
        this.failed("the proxy's answer is malformed", null);
    }
  }

  failed(reason: string, code: string | null): void {
    if (this.#done) return;
    this.#done = true;
    this.#owner.tunnelFailed(reason, code);
  }
}

export const tunnelHandlers: SocketHandler<Tunnel> = {
  open: (socket) => socket.data.opened(socket),
  data: (socket, bytes) => socket.data.received(socket, bytes),
  end: (socket) => socket.data.failed("the proxy closed the connection", null),
  close: (socket) => socket.data.failed("the proxy closed the connection", null),
  error: (socket, error) => socket.data.failed(`the connection to the proxy broke: ${error.message}`, null),
};
