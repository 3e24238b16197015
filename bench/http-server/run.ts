/**
 * CPU of a request with our HTTP server and with `Bun.serve`, each a process of its own, at 32 connections, in turns.
 * Run it with `scripts/bun.sh bench/http-server/run.ts [seconds per turn] [rounds]`.
 */
import { createHttpClient } from "../../src/upstream/http/client.ts";
import type { ExchangeListener, Origin } from "../../src/upstream/http/exchange.ts";
import { cpuMicroseconds } from "../proc.ts";

const concurrency = 32;
const seconds = Number(process.argv[2] ?? 1);
const rounds = Number(process.argv[3] ?? 5);
const body = JSON.stringify({ model: "model", messages: [{ role: "user", content: "word ".repeat(200) }] });
const client = createHttpClient();

/** Starts a server, and returns how to reach it. */
async function start(name: string) {
  const child = Bun.spawn([process.execPath, new URL("server.ts", import.meta.url).pathname, name], {
    stdout: "pipe",
  });
  const { value: line } = await child.stdout.getReader().read();
  const port = Buffer.from(line ?? [])
    .toString()
    .trim();
  return { name, process: child, origin: client.origin({ url: `http://127.0.0.1:${port}`, environment: {} }) };
}

/** Sends requests on all connections for a while, and returns how many were answered. */
function load(origin: Origin, path: string, until: number): Promise<number> {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: ${origin.host}\r\ncontent-type: application/json\r\naccept: */*\r\n` +
    "authorization: Bearer sk-0123456789012345678901234567890123456789\r\nuser-agent: bench\r\n";
  const { promise, resolve } = Promise.withResolvers<number>();
  let answered = 0;
  let running = concurrency;
  class Caller implements ExchangeListener {
    start(): void {
      client.send(origin, head, body, this);
    }
    onSent(): void {}
    onHead(status: number): void {
      if (status !== 200) throw new Error(`Status ${status}`);
    }
    onBytes(): void {}
    onEnd(): void {
      answered++;
      if (performance.now() < until) this.start();
      else if (--running === 0) resolve(answered);
    }
    onFailure(failure: { message: string }): void {
      throw new Error(failure.message);
    }
    onDeadline(): void {}
  }
  for (let index = 0; index < concurrency; index++) new Caller().start();
  return promise;
}

const servers = [await start("ours"), await start("Bun.serve")];
for (const path of ["/json", "/stream"]) {
  // The least of all rounds: other work on the machine only ever adds.
  const least = new Map<string, number>();
  for (let round = 0; round <= rounds; round++) {
    for (const { name, process: server, origin } of servers) {
      const before = cpuMicroseconds(server.pid);
      const answered = await load(origin, path, performance.now() + seconds * 1000);
      const cost = (cpuMicroseconds(server.pid) - before) / answered;
      // The first round warms up.
      if (round > 0) least.set(name, Math.min(least.get(name) ?? Infinity, cost));
    }
  }
  for (const [name, cost] of least) console.log(`${path}  ${name}: ${cost.toFixed(1)} us CPU a request`);
}
client.close();
for (const { process: server } of servers) server.kill();
