import type { Socket, TCPSocketListener } from "bun";
import type { ExchangeFailure, ExchangeListener, HttpClient, HttpExchange, Origin, TlsOptions } from "./exchange.ts";
import type { RequestBody } from "../../http/request-body.ts";

/** Everything reported of one exchange, for tests. */
export class Told implements ExchangeListener {
  readonly events: string[] = [];
  exchange: HttpExchange | null = null;
  status = 0;
  headers: { get(name: string): string | null } | null = null;
  readonly pieces: Uint8Array[] = [];
  failure: ExchangeFailure | null = null;
  readonly #done = Promise.withResolvers<this>();
  /** Called before each telling is noted. */
  hook: ((event: string) => void) | null = null;

  /** Resolves when the exchange has ended or failed. */
  get done(): Promise<this> {
    return this.#done.promise;
  }

  get text(): string {
    return Buffer.concat(this.pieces).toString();
  }

  onSent(): void {
    this.#note("sent");
  }
  onHead(status: number, headers: { get(name: string): string | null }): void {
    this.status = status;
    this.headers = headers;
    this.#note("head");
  }
  onBytes(bytes: Uint8Array): void {
    this.pieces.push(bytes);
    this.#note("bytes");
  }
  onEnd(): void {
    this.#note("end");
    this.#done.resolve(this);
  }
  onFailure(failure: ExchangeFailure): void {
    this.failure = failure;
    this.#note("failure");
    this.#done.resolve(this);
  }
  onDeadline(): void {
    this.#note("deadline");
  }
  #note(event: string): void {
    this.events.push(event);
    this.hook?.(event);
  }
}

/** An origin without the proxy of the machine's environment. */
export function originOf(client: HttpClient, url: string, tls: TlsOptions = {}): Origin {
  return client.origin({ url, tls, environment: {} });
}

/** Sends a request and returns the events of its exchange. */
export function ask(
  client: HttpClient,
  origin: Origin,
  { method = "POST", body = null }: { method?: string; body?: RequestBody } = {},
): Told {
  const told = new Told();
  told.exchange = client.send(origin, `${method} / HTTP/1.1\r\nhost: ${origin.host}\r\n`, body, told);
  return told;
}

/** One connection as the scripted server sees it. */
export interface ServedConnection {
  readonly socket: Socket<ServedConnection>;
  /** How many connections came before it. */
  readonly index: number;
  /** All that was received, as latin1. */
  received: string;
  /** Whether the client has closed it, or its side of it. */
  gone: boolean;
}

export interface ScriptedServer {
  readonly url: string;
  readonly port: number;
  readonly connections: ServedConnection[];
  stop(): void;
}

const running = new Set<ScriptedServer>();

/** Stops all servers; for `afterEach`. */
export function stopServers(): void {
  for (const server of running) server.stop();
  running.clear();
}

export interface ServeOptions {
  readonly hostname?: string;
  readonly onOpen?: (connection: ServedConnection) => void;
  readonly tls?: Bun.TLSOptions;
}

/** A TCP server that calls `onData` each time something arrives. */
export function serve(
  onData: (connection: ServedConnection, bytes: Buffer) => void,
  { hostname = "127.0.0.1", onOpen, tls }: ServeOptions = {},
): ScriptedServer {
  const connections: ServedConnection[] = [];
  const listener: TCPSocketListener<ServedConnection> = Bun.listen<ServedConnection>({
    hostname,
    port: 0,
    allowHalfOpen: true,
    ...(tls === undefined ? {} : { tls }),
    socket: {
      open(socket) {
        socket.data = { socket, index: connections.length, received: "", gone: false };
        connections.push(socket.data);
        onOpen?.(socket.data);
      },
      data(socket, bytes) {
        socket.data.received += bytes.toString("latin1");
        onData(socket.data, bytes);
      },
      end(socket) {
        socket.data.gone = true;
      },
      close(socket) {
        socket.data.gone = true;
      },
      error() {},
    },
  });
  const host = hostname.includes(":") ? `[${hostname}]` : hostname;
  const server: ScriptedServer = {
    url: `${tls === undefined ? "http" : "https"}://${host}:${listener.port}`,
    port: listener.port,
    connections,
    stop: () => listener.stop(true),
  };
  running.add(server);
  return server;
}

/** Resolves once `condition` holds, looking again at every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await new Promise((resolve) => setImmediate(resolve));
}
