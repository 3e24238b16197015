/**
 * The scripted upstreams as a process of their own, controlled over HTTP. Not `tollgate sandbox`, since one of a provider's
 * keys must be refused. Arguments: the port and the keys that are good.
 */
import { startSandbox } from "../src/sandbox/server.ts";

const [port, ...apiKeys] = process.argv.slice(2);
await startSandbox({ port: Number(port), apiKeys, log: { requests: 1000, bytes: 0 } });
