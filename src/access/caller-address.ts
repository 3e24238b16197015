import { permissionError } from "../errors.ts";
import type { RequestHeaders } from "../http/headers.ts";
import { includesAddress, type IpRanges, readIpAddress } from "./ip-range.ts";

/** What is known of where a request comes from. */
export interface Caller {
  /** Of the connection: the caller, or a proxy before it. */
  readonly remoteAddress: string;
  readonly headers: RequestHeaders;
}

/** A header of proxies that is longer is not read. */
const maxForwarded = 4_096;

/**
 * The address of a caller: that of its connection or, if this is a trusted proxy, the last address of `X-Forwarded-For` that is
 * none. What comes before it may be anything that the caller wrote. Null if a trusted proxy tells of no address.
 * @param trustedProxies null: none
 */
export function callerAddress({ remoteAddress, headers }: Caller, trustedProxies: IpRanges | null): string | null {
  const connected = readIpAddress(remoteAddress);
  if (connected === null || trustedProxies === null || !includesAddress(trustedProxies, connected)) return connected;
  const forwarded = headers.get("x-forwarded-for") ?? "";
  if (forwarded.length > maxForwarded) return null;
  for (const entry of forwarded.split(",").toReversed()) {
    const address = readIpAddress(withoutPort(entry.trim()));
    if (address === null) return null;
    if (!includesAddress(trustedProxies, address)) return address;
  }
  return null;
}

/** Some proxies write `192.0.2.1:4711` and `[2001:db8::1]:4711`. */
function withoutPort(entry: string): string {
  return /^\[(.+)\](?::\d+)?$/.exec(entry)?.[1] ?? /^([\d.]+):\d+$/.exec(entry)?.[1] ?? entry;
}

/** @throws 403 `ip_not_allowed` if a key may not be used from where a request comes from */
export function checkAddress(allowed: IpRanges, caller: Caller, trustedProxies: IpRanges | null): void {
  const address = callerAddress(caller, trustedProxies);
  if (address !== null && includesAddress(allowed, address)) return;
  const from = address ?? "an address that the proxy did not tell in 'X-Forwarded-For'";
  throw permissionError("ip_not_allowed", `This API key may not be used from ${from}.`);
}
