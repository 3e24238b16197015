import { gzipSync } from "node:zlib";
import type { Call } from "../contenders/contender.ts";
import type { LoadTools } from "../load.ts";
import { median } from "../results/statistics.ts";
import type { Upstream } from "../upstream.ts";
import type { LoopReport } from "../watch/holds.ts";
import { startWatchedTollgate } from "./loop.ts";

/** The effects of one hostile request body on the gateway. */
export interface Attack {
  readonly name: string;
  readonly megabytes: number;
  /** Of the answer; null if the connection was closed without one. */
  readonly status: number | null;
  /** From sending to the end of the answer; the least of the tries. */
  readonly milliseconds: number;
  /** For which it held the event loop without a pause; the median of the tries, which one disturbance does not move. */
  readonly hold: number;
  /** The longest of the tries. */
  readonly maxHold: number;
}

export interface AttackPlan {
  readonly tries: number;
  /** 1 sends bodies of full size, 0.1 of a tenth. */
  readonly size: number;
}

interface Body {
  readonly name: string;
  readonly make: (model: string, size: number) => Uint8Array<ArrayBuffer>;
  readonly headers?: Readonly<Record<string, string>>;
}

/** Below the 32 MiB of `server.max_body_bytes`, so that the gateway reads them. */
const bodies: readonly Body[] = [
  {
    name: "10 million empty objects",
    make: (model, size) => body(model, "messages", `[${"{},".repeat(10e6 * size)}{}]`),
  },
  {
    name: "200,000 arrays, one in the other",
    make: (model, size) => body(model, "messages", "[".repeat(200_000 * size) + "]".repeat(200_000 * size)),
  },
  {
    name: "one string of 31 MB",
    make: (model, size) => body(model, "messages", `[{"role":"user","content":"${"a".repeat(31e6 * size)}"}]`),
  },
  {
    name: "2 million members",
    make: (model, size) => {
      const members = Array.from({ length: 2e6 * size }, (_, index) => `"k${index}":0`);
      return body(model, "messages", `[{"role":"user","content":"x"}],"metadata":{${members.join(",")}}`);
    },
  },
  {
    name: "gzip of 256 MB of spaces",
    make: (model, size) => gzipSync(body(model, "messages", `[]${" ".repeat(256e6 * size)}`)),
    headers: { "content-encoding": "gzip" },
  },
];

/** Sends each body to a watched Tollgate, one after the other. What it answers is not judged here, only how it holds. */
export async function measureAttacks(
  tools: LoadTools,
  launcher: string,
  upstream: Upstream,
  plan: AttackPlan,
): Promise<Attack[]> {
  const { tollgate, reports } = await startWatchedTollgate(tools, launcher, upstream, "attacks");
  try {
    const call = tollgate.call("json");
    const { model } = JSON.parse(call.body) as { readonly model: string };
    const attacks: Attack[] = [];
    // So that what is measured is not the first request of a cold process.
    for (let count = 0; count < 100; count++) await send(call, Buffer.from(call.body), {});
    for (const { name, make, headers = {} } of bodies) {
      const bytes = make(model, plan.size);
      const tries: { status: number | null; milliseconds: number; hold: number }[] = [];
      for (let count = 0; count < plan.tries; count++) {
        await reports.ask(tollgate.pid);
        const started = performance.now();
        const status = await send(call, bytes, headers);
        const milliseconds = performance.now() - started;
        const { longest } = await reports.ask<LoopReport>(tollgate.pid);
        tries.push({ status, milliseconds, hold: longest });
      }
      attacks.push({
        name,
        megabytes: bytes.length / 1e6,
        status: tries[0]?.status ?? null,
        milliseconds: Math.min(...tries.map((each) => each.milliseconds)),
        hold: median(tries.map((each) => each.hold)),
        maxHold: Math.max(...tries.map((each) => each.hold)),
      });
    }
    return attacks;
  } finally {
    await tollgate.stop();
  }
}

/** A chat request with one field written as it is. */
function body(model: string, field: string, value: string): Uint8Array<ArrayBuffer> {
  return new TextEncoder().encode(`{"model":${JSON.stringify(model)},"${field}":${value}}`);
}

/** The status of the answer, read to its end; null if there was none. */
async function send(
  call: Call,
  bytes: Uint8Array<ArrayBuffer>,
  headers: Readonly<Record<string, string>>,
): Promise<number | null> {
  try {
    const request = { method: "POST", headers: { ...call.headers, ...headers }, body: bytes };
    const response = await fetch(`http://127.0.0.1:${call.port}${call.path}`, request);
    await response.arrayBuffer();
    return response.status;
  } catch {
    return null;
  }
}
