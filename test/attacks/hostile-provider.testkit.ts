import { createServer, type ServerResponse } from "node:http";

/** A provider's behaviour for one call. */
export type Behaviour = (response: ServerResponse) => void;

/** A provider whose every path prefix is a behaviour of its own. */
export interface HostileProvider {
  /** The base URL at which it behaves so. */
  urlOf(behaviour: string): string;
  /** Calls so far. */
  readonly calls: number;
  stop(): Promise<void>;
}

export async function startHostileProvider(behaviours: Readonly<Record<string, Behaviour>>): Promise<HostileProvider> {
  let calls = 0;
  const server = createServer((request, response) => {
    calls++;
    response.on("error", () => {});
    const [, name = ""] = (request.url ?? "").split("/");
    const behave = behaviours[name] ?? ((unknown) => void unknown.writeHead(404).end());
    request.resume();
    request.on("end", () => behave(response));
  });
  const listening = Promise.withResolvers<void>();
  server.listen(0, "127.0.0.1", listening.resolve);
  await listening.promise;
  const address = server.address();
  if (typeof address !== "object" || address === null) throw new Error("The provider has no port.");
  return {
    urlOf: (behaviour) => `http://127.0.0.1:${address.port}/${behaviour}`,
    get calls() {
      return calls;
    },
    async stop() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

/** Writes pieces for ever, as fast as they are taken. */
export function writeForever(response: ServerResponse, piece: Uint8Array): void {
  const write = () => {
    while (!response.destroyed && response.write(piece)) continue;
  };
  response.on("drain", write);
  write();
}
