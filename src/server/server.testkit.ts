import type { Socket } from "bun";
import type { BodyReader, ServerExchange } from "./exchange.ts";
import { listen, type Server, type ServerOptions } from "./server.ts";

const running = new Set<Server>();
const clients = new Set<RawClient>();

/** Stops all servers and clients; for `afterEach`. */
export async function stopAll(): Promise<void> {
  for (const client of clients) client.close();
  clients.clear();
  for (const server of running) await server.stop(true);
  running.clear();
}

/** A server on a free port. What its handler throws fails the test, unless `onError` is given. */
export function serve(handle: ServerOptions["handle"], options: Partial<ServerOptions> = {}): Server {
  const onError = (error: unknown) => {
    throw error;
  };
  const server = listen({ hostname: "127.0.0.1", port: 0, handle, onError, ...options });
  running.add(server);
  return server;
}

/** Resolves with the whole body of a request, as a caller of the gateway gets it. */
export function bodyOf(exchange: ServerExchange): Promise<Buffer> {
  if (exchange.body !== null) return Promise.resolve(Buffer.from(exchange.body));
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  const pieces: Uint8Array[] = [];
  const reader: BodyReader = {
    onBytes: (bytes) => void pieces.push(bytes),
    onEnd: () => resolve(Buffer.concat(pieces)),
    onFailure: (reason) => reject(new Error(reason)),
  };
  exchange.readBody(reader);
  return promise;
}

/** A client that writes what it is told, byte for byte. */
export class RawClient {
  received = "";
  /** Whether the server has sent its last byte, or reset the connection. */
  ended = false;
  readonly #socket: Socket<RawClient>;

  private constructor(socket: Socket<RawClient>) {
    this.#socket = socket;
    clients.add(this);
  }

  static async connect({ port }: { port: number }, text = ""): Promise<RawClient> {
    let client: RawClient | null = null;
    const socket = await Bun.connect<RawClient>({
      hostname: "127.0.0.1",
      port,
      allowHalfOpen: true,
      socket: {
        data(_socket, bytes) {
          if (client !== null) client.received += bytes.toString("latin1");
        },
        end() {
          if (client !== null) client.ended = true;
        },
        close() {
          if (client !== null) client.ended = true;
        },
        error() {},
      },
    });
    client = new RawClient(socket);
    if (text !== "") client.write(text);
    return client;
  }

  write(text: string | Uint8Array): void {
    const bytes = typeof text === "string" ? Buffer.from(text, "latin1") : text;
    if (this.#socket.write(bytes) !== bytes.length) throw new Error("The socket takes no more.");
  }

  /** Sends a FIN, and goes on reading. */
  halfClose(): void {
    this.#socket.shutdown();
  }

  close(): void {
    this.ended = true;
    this.#socket.terminate();
  }

  pause(): void {
    this.#socket.pause();
  }

  resume(): void {
    this.#socket.resume();
  }

  /** Resolves with all that was received once the server has ended the connection. */
  async all(): Promise<string> {
    await until(() => this.ended);
    return this.received;
  }
}

/** Sends a text, and resolves with all that comes until the server ends the connection. */
export async function send(server: Server, text: string): Promise<string> {
  const client = await RawClient.connect(server, text);
  return client.all();
}

/** Resolves once `condition` holds, looking again at every turn of the event loop. */
export async function until(condition: () => boolean): Promise<void> {
  const giveUpAt = performance.now() + 10_000;
  while (!condition()) {
    if (performance.now() > giveUpAt) throw new Error(`It never held: ${condition.toString()}`);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

/** A head less its Date, in lower case. */
export function withoutDate(text: string): string {
  return text.replace(/date: [^\r]*\r\n/g, "");
}
