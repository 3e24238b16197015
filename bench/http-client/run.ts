/**
 * CPU of a call to a provider with our HTTP client and with Bun's `fetch`, at 32 connections, in turns; the upstream is another process.
 * Run it with `scripts/bun.sh bench/http-client/run.ts [seconds per turn] [rounds]`.
 */
import { createHttpClient } from "../../src/upstream/http/client.ts";
import type { ExchangeListener, ResponseHeaders } from "../../src/upstream/http/exchange.ts";
import { median } from "../results/statistics.ts";

const concurrency = 32;
const seconds = Number(process.argv[2] ?? 1);
const rounds = Number(process.argv[3] ?? 5);

const upstream = Bun.spawn([process.execPath, new URL("upstream.ts", import.meta.url).pathname], { stdout: "pipe" });
const { value: line } = await upstream.stdout.getReader().read();
const base = `http://127.0.0.1:${Buffer.from(line ?? [])
  .toString()
  .trim()}`;
const body = JSON.stringify({ model: "model", messages: [{ role: "user", content: "word ".repeat(200) }] });

const client = createHttpClient();
const origin = client.origin({ url: base, environment: {} });

/** Runs calls for a while and returns CPU microseconds and how many there were. */
type Contender = (path: string, until: number) => Promise<number>;

const ours: Contender = (path, until) => {
  const head =
    `POST ${path} HTTP/1.1\r\nhost: ${origin.host}\r\ncontent-type: application/json\r\naccept-encoding: identity\r\n` +
    "authorization: Bearer sk-0123456789012345678901234567890123456789\r\nuser-agent: tollgate\r\n";
  const { promise, resolve } = Promise.withResolvers<number>();
  let answered = 0;
  let running = concurrency;
  class Caller implements ExchangeListener {
    bytes = 0;
    start(): void {
      client.send(origin, head, body, this).deadlineAt = performance.now() + 60_000;
    }
    onSent(): void {}
    onHead(status: number, headers: ResponseHeaders): void {
      if (status !== 200 || headers.get("content-type") === null) throw new Error(`Status ${status}`);
    }
    onBytes(bytes: Uint8Array): void {
      this.bytes += bytes.length;
    }
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
};

const headers = {
  "content-type": "application/json",
  "accept-encoding": "identity",
  authorization: "Bearer sk-0123456789012345678901234567890123456789",
  "user-agent": "tollgate",
};

const fetched: Contender = async (path, until) => {
  let answered = 0;
  const caller = async () => {
    while (performance.now() < until) {
      const response = await fetch(base + path, { method: "POST", headers, body, redirect: "manual" });
      if (response.status !== 200 || response.headers.get("content-type") === null) throw new Error("no answer");
      const reader = response.body?.getReader();
      let bytes = 0;
      for (;;) {
        const piece = await reader?.read();
        if (piece === undefined || piece.done) break;
        bytes += piece.value.length;
      }
      if (bytes === 0) throw new Error("no body");
      answered++;
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return answered;
};

for (const path of ["/json", "/stream"]) {
  const costs: Record<string, number[]> = { ours: [], fetch: [] };
  const rates: Record<string, number[]> = { ours: [], fetch: [] };
  for (let round = 0; round <= rounds; round++) {
    for (const [name, contender] of Object.entries({ ours, fetch: fetched })) {
      const started = performance.now();
      const before = process.cpuUsage();
      const answered = await contender(path, started + seconds * 1000);
      const { user, system } = process.cpuUsage(before);
      // The first round warms up.
      if (round === 0) continue;
      costs[name]?.push((user + system) / answered);
      rates[name]?.push((answered / (performance.now() - started)) * 1000);
    }
  }
  for (const name of ["ours", "fetch"]) {
    const cost = median(costs[name] ?? []).toFixed(1);
    console.log(`${path}  ${name}: ${cost} us CPU a request, ${Math.round(median(rates[name] ?? []))} requests/s`);
  }
}
client.close();
upstream.kill();
