import type { Environment } from "./tls.ts";

/** The proxy that calls to an address go through. */
export interface Proxy {
  readonly hostname: string;
  readonly port: number;
  /** The header line that names us to it, with its CRLF; empty if it wants none. */
  readonly authorization: string;
}

/** An address that is to be called. `hostname` is without brackets. */
export interface Target {
  readonly protocol: "http:" | "https:";
  readonly hostname: string;
  readonly port: number;
}

/**
 * The proxy that HTTP_PROXY or HTTPS_PROXY names for an address, null if none does or NO_PROXY exempts it. The names in
 * lower case go first. Throws an `Error` that names the variable if its value cannot be used.
 */
export function proxyFor(target: Target, environment: Environment): Proxy | null {
  const name = target.protocol === "https:" ? "HTTPS_PROXY" : "HTTP_PROXY";
  const value = (environment[name.toLowerCase()] ?? environment[name] ?? "").trim();
  if (value === "" || isExempt(target, environment["no_proxy"] ?? environment["NO_PROXY"] ?? "")) return null;
  // The value is not shown: it may hold a password.
  const url = URL.parse(value.includes("://") ? value : `http://${value}`);
  if (url === null) throw new Error(`${name} is not a URL.`);
  if (url.protocol !== "http:") throw new Error(`${name} must begin with http://; a proxy is spoken to in plain HTTP.`);
  const credentials = `${decodeURIComponent(url.username)}:${decodeURIComponent(url.password)}`;
  return {
    hostname: url.hostname.startsWith("[") ? url.hostname.slice(1, -1) : url.hostname,
    port: url.port === "" ? 80 : Number(url.port),
    authorization:
      credentials === ":" ? "" : `proxy-authorization: Basic ${Buffer.from(credentials).toString("base64")}\r\n`,
  };
}

/**
 * Whether NO_PROXY exempts an address: `*`, or a comma-separated list of hosts, each of which includes its subdomains,
 * with or without a leading dot, and for one port if it names one.
 */
function isExempt({ hostname, port }: Target, list: string): boolean {
  const host = hostname.toLowerCase();
  return list.split(",").some((part) => {
    const entry = part.trim().toLowerCase();
    if (entry === "*") return true;
    const { name, onlyPort } = splitPort(entry);
    if (name === "" || (onlyPort !== null && onlyPort !== port)) return false;
    return host === name || host.endsWith(`.${name}`);
  });
}

function splitPort(entry: string): { name: string; onlyPort: number | null } {
  const match = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry);
  // Without brackets, more than one colon is an IPv6 address.
  const name = match ? (match[1] ?? match[2] ?? "") : entry;
  return { name: name.replace(/^\*?\./, ""), onlyPort: match?.[3] === undefined ? null : Number(match[3]) };
}

/** A head as a proxy wants it for plain HTTP: with the whole URL in its request line, and with our credentials for the proxy. */
export function headForProxy(head: string, host: string, { authorization }: Proxy): string {
  const path = head.indexOf(" ") + 1;
  return `${head.slice(0, path)}http://${host}${head.slice(path)}${authorization}`;
}
