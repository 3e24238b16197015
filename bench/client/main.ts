/**
 * The load client: a process of its own, so that its work is not mixed with what it measures.
 * Its argument is a `Job` as JSON; it prints an `Outcome` as JSON (in `hold` mode the word `holding`).
 */
import { percentile } from "../results/statistics.ts";
import type { Job, Outcome, Quantiles } from "./job.ts";
import { sharpenTimers } from "./libc.ts";
import { begun, createPool, inFlight, type Pool, receiveAnswers, sendRequest } from "./pool.ts";

const second = 1e9;
const drainLimit = 30 * second;

const job = JSON.parse(process.argv[2] ?? "null") as Job | null;
if (job === null) throw new Error("the load client is started by the benchmark, with a job as its argument");
sharpenTimers();
const pool = createPool(job.port, requestBytes(job), job.connections);
const started = Bun.nanoseconds();
if (job.mode.kind === "hold") hold(pool);
else if (job.mode.kind === "open") runOpen(pool, job.mode.seconds, job.mode.rate);
else runClosed(pool, job.mode.seconds, job.mode.requests);
console.log(JSON.stringify(outcome(pool, Bun.nanoseconds() - started)));

function requestBytes(job: Job): Uint8Array {
  const body = Buffer.from(job.body);
  const headers = { Host: `127.0.0.1:${job.port}`, ...job.headers, "Content-Length": String(body.length) };
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.concat([Buffer.from(`POST ${job.path} HTTP/1.1\r\n${lines.join("")}\r\n`), body]);
}

function runOpen(pool: Pool, seconds: number, rate: number): void {
  const total = Math.round(seconds * rate);
  const start = Bun.nanoseconds();
  for (let sent = 0; sent < total;) {
    const due = start + (sent * second) / rate;
    const wait = due - Bun.nanoseconds();
    if (wait <= 0 && sendRequest(pool, due)) sent++;
    else receiveAnswers(pool, wait <= 0 ? second / 1000 : wait);
  }
  drain(pool);
}

function runClosed(pool: Pool, seconds: number, requests: number): void {
  const end = Bun.nanoseconds() + seconds * second;
  for (let sent = 0; sent < requests && Bun.nanoseconds() < end;) {
    if (sendRequest(pool, Bun.nanoseconds())) sent++;
    else receiveAnswers(pool, second / 10);
  }
  drain(pool);
}

function drain(pool: Pool): void {
  const limit = Bun.nanoseconds() + drainLimit;
  while (inFlight(pool) > 0) {
    if (Bun.nanoseconds() > limit) throw new Error(`${inFlight(pool)} requests had no answer within 30 s`);
    receiveAnswers(pool, second / 10);
  }
}

/** Never returns: the benchmark kills the client when it has seen enough. */
function hold(pool: Pool): never {
  const limit = Bun.nanoseconds() + drainLimit;
  while (sendRequest(pool, Bun.nanoseconds())) receiveAnswers(pool, 0);
  while (begun(pool) < pool.limit) {
    if (Bun.nanoseconds() > limit) throw new Error(`only ${begun(pool)} of ${pool.limit} streams began within 30 s`);
    if (pool.counts.broken + pool.counts.refused > 0) throw new Error("a stream was refused or broken off");
    receiveAnswers(pool, second / 100);
  }
  console.log("holding");
  for (;;) receiveAnswers(pool, second);
}

function outcome(pool: Pool, elapsed: number): Outcome {
  return {
    ...pool.counts,
    seconds: elapsed / second,
    latency: quantiles(pool.latencies),
    firstChunk: quantiles(pool.firstChunks),
    sendDelay: quantiles(pool.sendDelays),
  };
}

function quantiles(nanoseconds: readonly number[]): Quantiles {
  const sorted = Float64Array.from(nanoseconds).sort();
  return { p50: percentile(sorted, 0.5) / 1e6, p99: percentile(sorted, 0.99) / 1e6 };
}
