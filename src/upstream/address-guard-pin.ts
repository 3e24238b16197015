import { lookup as systemLookup } from "node:dns/promises";
import { isIP } from "node:net";
import { isPublicAddress } from "./address-guard.ts";

/** All IP addresses of a host name. Rejects if it has none. */
export type Lookup = (hostname: string) => Promise<readonly string[]>;

export interface GuardPolicy {
  /** Hosts, by name or address in lower case, that may be called whatever their address. */
  readonly allowHosts: ReadonlySet<string>;
  /** An origin (`http://10.0.0.1:8000`) that may be called whatever its address. */
  readonly allowOrigin?: string | null;
  readonly lookup: Lookup;
}

/** A URL whose host has been resolved and found fit to be called, and the one address to call it at. */
export interface PinnedUrl {
  /** The URL with the address in place of the host: no name is left that could be resolved once more. */
  readonly connectTo: string;
  /** The value of the `Host` header. */
  readonly host: string;
  /** The name that the certificate must hold; null if the host is an address itself. */
  readonly serverName: string | null;
}

/** Why an address is not called. The message completes "could not be fetched: ..." and is safe to show. */
export class AddressRefused extends Error {
  override readonly name = "AddressRefused";
}

/**
 * Resolves a URL's host and holds every address of it against the guard. The connection is made to the address that was
 * checked, so a name that resolves to another one a moment later gains nothing.
 * Throws `AddressRefused`.
 */
export async function pinUrl(url: URL, { allowHosts, allowOrigin, lookup }: GuardPolicy): Promise<PinnedUrl> {
  if (url.protocol !== "https:" && url.protocol !== "http:") throw new AddressRefused("it is not an https:// address");
  if (url.username !== "" || url.password !== "") throw new AddressRefused("it holds a user name or a password");
  // `URL` has already read decimal, octal, hexadecimal and short spellings of an address.
  const hostname = url.hostname.replace(/^\[|\]$/g, "").replace(/\.$/, "");
  const isAddress = isIP(hostname) !== 0;
  const addresses = isAddress ? [hostname] : await resolved(hostname, lookup);
  // One private address among several is refused like all of them: it is not there by mistake.
  const isAllowed = allowHosts.has(hostname) || url.origin === allowOrigin;
  if (!isAllowed && !addresses.every(isPublicAddress)) {
    throw new AddressRefused("it does not lead to a public host");
  }
  const address = addresses.find((candidate) => isIP(candidate) === 4) ?? addresses[0];
  if (address === undefined) throw unknownHost();
  const pinned = new URL(url);
  pinned.hostname = isIP(address) === 6 ? `[${address}]` : address;
  pinned.hash = "";
  return { connectTo: pinned.href, host: url.host, serverName: isAddress ? null : hostname };
}

/** The system's own resolver: the hosts file and the name servers the operator has set. */
export const lookUpHost: Lookup = async (hostname) => {
  const found = await systemLookup(hostname, { all: true });
  return found.map(({ address }) => address);
};

async function resolved(hostname: string, lookup: Lookup): Promise<readonly string[]> {
  try {
    return await lookup(hostname);
  } catch {
    throw unknownHost();
  }
}

function unknownHost(): AddressRefused {
  return new AddressRefused("its host is not known");
}
