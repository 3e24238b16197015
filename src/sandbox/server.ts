import { createServer, type Server } from "node:http";
import type { Socket } from "node:net";
import { checkScript } from "./script/directives.ts";
import { handleRequest } from "./handle.ts";
import type { RecordedRequest } from "./request-log.ts";
import type { Script } from "./script/script.ts";
import { createState, resetState } from "./state.ts";

export type { RecordedRequest } from "./request-log.ts";
export type { Script } from "./script/script.ts";

export interface SandboxOptions {
  /** Default: 127.0.0.1. */
  readonly host?: string;
  /** Default: 0, any free port. */
  readonly port?: number;
  /** Scripts by upstream model name, beside the built-in names. */
  readonly models?: Readonly<Record<string, Script>>;
  /** The valid keys. Default: all requests are accepted. */
  readonly apiKeys?: readonly string[];
  /** Whether `/_sandbox/` is served, which exposes the received requests. Default: true. */
  readonly control?: boolean;
  /** Bounds of the request log. Default: the newest 1,000, with at most 16 MiB of bodies. */
  readonly log?: { readonly requests: number; readonly bytes: number };
}

/** A running sandbox. */
export interface Sandbox {
  /** Without a path: the OpenAI dialect is at `${url}/v1`. */
  readonly url: string;
  readonly port: number;
  /** The received requests, oldest first; entries are updated while their answer is sent. */
  readonly requests: readonly RecordedRequest[];
  /** Resolves when the condition holds for the requests; checked whenever one arrives or ends. */
  waitFor(condition: (requests: readonly RecordedRequest[]) => boolean): Promise<void>;
  /** Sets the script of a model name. Throws if the script is invalid. */
  setModel(id: string, script: Script): void;
  /** Closes the next `count` new connections at once. */
  refuseConnections(connections: number): void;
  /** The number of open connections. */
  openConnections(): number;
  /** Clears requests, counts and caches. */
  reset(): void;
  /** Closes the port and every connection. */
  stop(): Promise<void>;
}

const defaultLog = { requests: 1000, bytes: 16 * 1024 * 1024 };
const keepAliveMs = 65_000;

/** Starts the sandbox on its own port. Rejects if the port is in use. See README.md. */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
  const state = createState({
    log: options.log ?? defaultLog,
    models: Object.entries(options.models ?? {}).map(([id, script]) => [id, checkScript(script, `models.${id}`)]),
    apiKeys: options.apiKeys ?? null,
    control: options.control ?? true,
  });
  const sockets = new Set<Socket>();
  const server = createServer({ keepAliveTimeout: keepAliveMs }, (request, response) => {
    void handleRequest(state, request, response);
  });
  server.timeout = 0;
  server.requestTimeout = 0;
  server.on("connection", (socket) => {
    if (state.connectionsToRefuse > 0) {
      state.connectionsToRefuse -= 1;
      socket.destroy();
      return;
    }
    sockets.add(socket);
    // A caller that disconnects is not an error of the sandbox.
    socket.on("error", () => socket.destroy());
    socket.on("close", () => sockets.delete(socket));
  });
  const host = options.host ?? "127.0.0.1";
  const port = await listen(server, host, options.port ?? 0);

  return {
    url: `http://${host.includes(":") ? `[${host}]` : host}:${port}`,
    port,
    requests: state.log.requests,
    waitFor: (condition) => state.log.waitFor(condition),
    setModel: (id, script) => void state.models.set(id, checkScript(script, "script")),
    refuseConnections(connections) {
      state.connectionsToRefuse = connections;
    },
    openConnections: () => sockets.size,
    reset: () => resetState(state),
    async stop() {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

async function listen(server: Server, host: string, port: number): Promise<number> {
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject);
    server.listen(port, host, resolve);
  });
  const address = server.address();
  return typeof address === "object" && address !== null ? address.port : port;
}
