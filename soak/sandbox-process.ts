/**
 * Runs the sandbox in its own process, controlled over HTTP. Unlike `tollgate sandbox` it rejects unknown keys: arguments are
 * the port and the valid keys.
 */
import { startSandbox } from "../src/sandbox/server.ts";

const [port, ...apiKeys] = process.argv.slice(2);
await startSandbox({ port: Number(port), apiKeys, log: { requests: 1000, bytes: 0 } });
