import type { HttpClient } from "./exchange.ts";
import { PooledOrigin, type OriginHost } from "./origin.ts";
import { RunningExchange } from "./running-exchange.ts";
import { Sweep } from "../../http/sweep.ts";

export interface HttpClientOptions {
  /** Monotonic milliseconds; `performance.now` unless given. */
  readonly now?: () => number;
  /** The max size of one decompressed body; 256 MB by default. */
  readonly maxInflatedBytes?: number;
}

/** How often time limits are checked. */
const tickMs = 20;
const idleCheckMs = 1_000;

/** Makes an HTTP/1.1 client with idle connections of its own. */
export function createHttpClient({
  now = () => performance.now(),
  maxInflatedBytes = 256 * 1024 * 1024,
}: HttpClientOptions = {}): HttpClient {
  const origins: PooledOrigin[] = [];
  let idleCheckAt = 0;
  let idle = false;
  const sweep = new Sweep(now, tickMs, (time) => {
    if (idle && time >= idleCheckAt) {
      idle = false;
      idleCheckAt = time + idleCheckMs;
      for (const origin of origins) if (origin.closeExpired(time)) idle = true;
    }
    return idle;
  });
  const host: OriginHost & { closing: boolean } = {
    now,
    closing: false,
    wake() {
      if (idle) return;
      idle = true;
      sweep.wake();
    },
  };

  return {
    origin(options) {
      const origin = new PooledOrigin(host, options);
      origins.push(origin);
      return origin;
    },
    send(origin, head, body, listener) {
      if (!(origin instanceof PooledOrigin)) throw new Error("The origin was not made by an HTTP client.");
      const exchange = new RunningExchange(origin.headFor(head), body, listener, sweep, maxInflatedBytes);
      origin.begin(exchange);
      return exchange;
    },
    check: () => sweep.check(),
    close() {
      host.closing = true;
      for (const origin of origins) origin.closeIdle();
    },
  };
}
