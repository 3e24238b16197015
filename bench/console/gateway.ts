import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { freePort } from "../../scripts/free-port.ts";
import { issueSetUpLink } from "../../src/console/links.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { waitForPort } from "../ports.ts";
import { startServer, stop } from "../processes.ts";

const email = "bench@example.com";
const password = "a long password of benches";

/** A gateway on a storage that is there, with an owner who can sign in. */
export interface BenchGateway {
  readonly url: string;
  /** The body that signs the owner in. */
  readonly owner: { readonly email: string; readonly password: string };
  /** Starts it, and returns once it accepts connections. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Prepares a gateway in a folder of its own. The first time it makes the owner. */
export async function prepareGateway(storageUrl: string, folder: string): Promise<BenchGateway> {
  mkdirSync(folder, { recursive: true });
  const port = freePort();
  const url = `http://127.0.0.1:${port}`;
  const configuration = join(folder, "tollgate.yaml");
  // JSON is YAML too.
  writeFileSync(
    configuration,
    JSON.stringify({ server: { host: "127.0.0.1", port }, storage: { url: storageUrl }, providers: [], models: [] }),
  );
  const launcher = join(import.meta.dir, "../../bin/tollgate");
  let server: ReturnType<typeof startServer> | null = null;
  const gateway: BenchGateway = {
    url,
    owner: { email, password },
    async start() {
      const started = startServer([launcher, "start", "--config", configuration], join(folder, "tollgate.log"));
      server = started;
      await waitForPort(port, () => (started.exitCode === null ? null : "the gateway did not start"), 60_000);
    },
    async stop() {
      if (server !== null) await stop(server);
      server = null;
    },
  };
  await gateway.start();
  await makeOwner(storageUrl, gateway);
  await gateway.stop();
  return gateway;
}

async function makeOwner(storageUrl: string, { url, owner }: BenchGateway): Promise<void> {
  const storage = await openStorage(storageUrl);
  const token = await issueSetUpLink(storage.console, Date.now());
  await storage.close();
  if (token === null) return;
  const answer = await fetch(`${url}/console/auth-setup`, {
    method: "POST",
    headers: { origin: url, "sec-fetch-site": "same-origin", "content-type": "application/json" },
    body: JSON.stringify({ token, name: "Bench", ...owner }),
  });
  if (!answer.ok) throw new Error(`The owner could not be made: ${answer.status} ${await answer.text()}`);
}
