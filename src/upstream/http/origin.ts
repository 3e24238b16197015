import { Connection, unreachable, type ConnectionOwner } from "./connection.ts";
import { dial, type Way } from "./dial/dial.ts";
import type { Origin, OriginOptions } from "./exchange.ts";
import { headForProxy, proxyFor } from "./dial/proxy.ts";
import type { RunningExchange } from "./running-exchange.ts";
import { verifiedTls } from "./dial/tls.ts";

const maxIdle = 256;
const maxIdleMs = 60_000;
/** We let go of a connection this long before the provider does, lest a request crosses its closing. */
const keepAliveMarginMs = 1_000;
/** An idle connection keeps the process alive no longer than this. */
const referencedMs = 1_000;
/** A connection that is still being established is taken over by another exchange only if it is this young: its packets may be lost. */
const adoptableMs = 1_000;
const maxOrphans = 256;

/** The part of the client that an origin uses. */
export interface OriginHost {
  now(): number;
  /** Connections are idle: have `closeExpired` called once a second. */
  wake(): void;
  readonly closing: boolean;
}

/** One provider address and its idle connections. */
export class PooledOrigin implements Origin, ConnectionOwner {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
  readonly host: string;
  readonly #client: OriginHost;
  readonly #way: Way;
  /** The one used last is at the end, and is used next. */
  readonly #idle: Connection[] = [];
  /** Connections that are still being established while their exchange has been cancelled. */
  readonly #orphans = new Map<Connection, number>();
  /** Exchanges that begin at the end of this turn of the event loop. */
  #starting: RunningExchange[] = [];

  constructor(client: OriginHost, options: OriginOptions) {
    const url = URL.parse(options.url);
    if (url === null) throw new Error(`The provider's URL is not a URL: ${JSON.stringify(options.url)}.`);
    if (url.protocol !== "http:" && url.protocol !== "https:") {
      throw new Error(`The provider's URL must begin with http:// or https://, not ${url.protocol}.`);
    }
    this.#client = client;
    this.protocol = url.protocol;
    this.hostname = url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname;
    this.port = url.port === "" ? (url.protocol === "https:" ? 443 : 80) : Number(url.port);
    this.host = url.host;
    const environment = options.environment ?? process.env;
    this.#way = {
      target: { protocol: this.protocol, hostname: this.hostname, port: this.port },
      proxy: proxyFor(this, environment),
      tls: this.protocol === "https:" ? verifiedTls(this.hostname, options.tls ?? {}, environment) : null,
    };
  }

  /** A request's head as it is sent: a proxy for plain HTTP wants the whole URL in it. */
  headFor(head: string): string {
    const { proxy, tls } = this.#way;
    return proxy === null || tls !== null ? head : headForProxy(head, this.host, proxy);
  }

  /** How many connections wait for a request. */
  get idleConnections(): number {
    return this.#idle.length;
  }

  /**
   * Begins an exchange once the event loop has dealt with all that has arrived. Written together, requests wake the provider's
   * process (or the network card) fewer times, and find the connections that answers of the same turn have set free.
   */
  begin(exchange: RunningExchange): void {
    this.#starting.push(exchange);
    if (this.#starting.length === 1) setImmediate(this.#carryAll);
  }

  readonly #carryAll = (): void => {
    const starting = this.#starting;
    this.#starting = [];
    for (const exchange of starting) if (!exchange.ended) this.#carry(exchange);
  };

  /** Finds or opens a connection for an exchange. */
  #carry(exchange: RunningExchange): void {
    const now = this.#client.now();
    for (let connection = this.#idle.pop(); connection !== undefined; connection = this.#idle.pop()) {
      if (connection.expiresAt <= now) {
        connection.close();
        continue;
      }
      if (connection.unreferenced) {
        connection.unreferenced = false;
        connection.socket?.ref();
      }
      if (connection.begin(exchange)) return;
      connection.close();
    }
    for (const [orphan, since] of this.#orphans) {
      if (since + adoptableMs <= now) continue;
      this.#orphans.delete(orphan);
      orphan.exchange = exchange;
      exchange.carrier = orphan;
      return;
    }
    const connection = new Connection(this, exchange);
    if (this.#orphans.size < maxOrphans) dial(this.#way, connection);
    else connection.refuse(unreachable("too many connections to it are still being established", null));
  }

  released(connection: Connection, keepAliveSeconds: number): void {
    this.#orphans.delete(connection);
    const expiresIn = Math.min(maxIdleMs, keepAliveSeconds * 1000 - keepAliveMarginMs);
    if (this.#client.closing || this.#idle.length >= maxIdle || expiresIn <= 0) {
      connection.close();
      return;
    }
    connection.expiresAt = this.#client.now() + expiresIn;
    this.#idle.push(connection);
    this.#client.wake();
  }

  orphaned(connection: Connection): void {
    this.#orphans.set(connection, this.#client.now());
  }

  closed(connection: Connection): void {
    this.#orphans.delete(connection);
    const place = this.#idle.indexOf(connection);
    if (place >= 0) this.#idle.splice(place, 1);
  }

  repeat(exchange: RunningExchange): void {
    this.#carry(exchange);
  }

  /** Closes idle connections whose time is up. Returns whether any are left. */
  closeExpired(now: number): boolean {
    for (const connection of this.#idle.filter(({ expiresAt }) => expiresAt <= now)) connection.close();
    for (const connection of this.#idle) {
      if (connection.unreferenced || connection.expiresAt - maxIdleMs + referencedMs > now) continue;
      connection.unreferenced = true;
      connection.socket?.unref();
    }
    return this.#idle.length > 0;
  }

  closeIdle(): void {
    for (const connection of this.#idle.splice(0)) connection.close();
  }
}
