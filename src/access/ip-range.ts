import { isIP } from "node:net";

/** What a range of addresses has to be. */
export const allowedIpRange =
  "an IP address or a range such as 192.0.2.0/24 or 2001:db8::/32, with only zeros after its prefix";

/** Of one key. */
export const maxIpRanges = 100;

/** An address as its bytes: 4 of IPv4, 16 of IPv6. */
type AddressBytes = readonly number[];

interface IpRange {
  readonly network: AddressBytes;
  readonly prefixBits: number;
}

/** Ranges of addresses, compiled for lookups. */
export type IpRanges = readonly IpRange[];

/**
 * The one way to write a range: IPv4 in dotted decimals, IPv6 as RFC 5952 has it, a single address without a prefix. IPv4 that is
 * written as IPv6 (`::ffff:192.0.2.1`) becomes IPv4. Null if the text is no range, or has bits after its prefix.
 */
export function readIpRange(text: string): string | null {
  const range = parseRange(text.trim());
  if (range === null || !endsInZeros(range)) return null;
  const { network, prefixBits } = range;
  const address = formatAddress(network);
  return prefixBits === network.length * 8 ? address : `${address}/${prefixBits}`;
}

/** @param ranges results of {@link readIpRange} */
export function compileIpRanges(ranges: readonly string[]): IpRanges {
  return ranges.map((text) => {
    const range = parseRange(text);
    if (range === null) throw new TypeError(`Not a range of addresses: ${text.slice(0, 50)}`);
    return range;
  });
}

/** Whether an address is in one of the ranges. False for what is no address. An IPv6 range never has IPv4 addresses. */
export function includesAddress(ranges: IpRanges, address: string): boolean {
  const bytes = parseAddress(address);
  return bytes !== null && ranges.some((range) => isWithin(range, bytes));
}

/** The one way to write an address, as in {@link readIpRange}. Null if the text is none. A zone (`%eth0`) is left out. */
export function readIpAddress(text: string): string | null {
  const bytes = parseAddress(text.trim());
  return bytes && formatAddress(bytes);
}

function isWithin({ network, prefixBits }: IpRange, address: AddressBytes): boolean {
  if (address.length !== network.length) return false;
  return network.every((byte, index) => ((byte ^ (address[index] ?? 0)) & maskOf(prefixBits - index * 8)) === 0);
}

/** The bits of one byte that belong to a prefix of which so many bits are left. */
function maskOf(bits: number): number {
  return bits >= 8 ? 0xff : bits <= 0 ? 0 : (0xff << (8 - bits)) & 0xff;
}

function endsInZeros({ network, prefixBits }: IpRange): boolean {
  return network.every((byte, index) => (byte & ~maskOf(prefixBits - index * 8)) === 0);
}

function parseRange(text: string): IpRange | null {
  const slash = text.indexOf("/");
  const written = slash < 0 ? text : text.slice(0, slash);
  if (written.includes("%")) return null;
  const network = parseAddress(written);
  if (network === null) return null;
  if (slash < 0) return { network, prefixBits: network.length * 8 };
  const prefix = text.slice(slash + 1);
  if (!/^(0|[1-9]\d{0,2})$/.test(prefix)) return null;
  // The prefix of IPv4 that is written as IPv6 counts its leading 96 bits too.
  const prefixBits = Number(prefix) - (network.length === 4 && written.includes(":") ? 96 : 0);
  return prefixBits >= 0 && prefixBits <= network.length * 8 ? { network, prefixBits } : null;
}

function parseAddress(text: string): AddressBytes | null {
  if (text.length > 80) return null;
  const plain = text.split("%", 1)[0] ?? "";
  switch (isIP(plain)) {
    case 4:
      return plain.split(".").map(Number);
    case 6:
      return withoutMapping(ipv6Bytes(plain));
    default:
      return null;
  }
}

/** @param text a valid address */
function ipv6Bytes(text: string): AddressBytes {
  const [before = "", after] = inHexadecimal(text).split("::");
  const head = groupsOf(before);
  const tail = after === undefined ? [] : groupsOf(after);
  const zeros = Array.from({ length: 8 - head.length - tail.length }, () => 0);
  return [...head, ...zeros, ...tail].flatMap((group) => [group >> 8, group & 0xff]);
}

/** An address may end as IPv4 does: `::ffff:192.0.2.1`. */
function inHexadecimal(text: string): string {
  const last = text.lastIndexOf(":") + 1;
  const ending = text.slice(last);
  return ending.includes(".") ? text.slice(0, last) + groupNames(ending.split(".").map(Number)).join(":") : text;
}

function groupsOf(text: string): number[] {
  return text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16));
}

/** Each two bytes in hexadecimal. */
function groupNames(bytes: AddressBytes): string[] {
  return bytes.flatMap((byte, index) =>
    index % 2 === 0 ? [((byte << 8) | (bytes[index + 1] ?? 0)).toString(16)] : [],
  );
}

function withoutMapping(bytes: AddressBytes): AddressBytes {
  const isMapped = bytes.every((byte, index) => index >= 12 || byte === (index < 10 ? 0 : 0xff));
  return isMapped ? bytes.slice(12) : bytes;
}

function formatAddress(bytes: AddressBytes): string {
  if (bytes.length === 4) return bytes.join(".");
  const text = groupNames(bytes).join(":");
  const runs = [...text.matchAll(/\b0(?::0)+\b/g)].sort(([a], [b]) => b.length - a.length);
  const [longest] = runs;
  if (longest === undefined) return text;
  const { 0: zeros, index: at } = longest;
  return `${text.slice(0, at).replace(/:$/, "")}::${text.slice(at + zeros.length).replace(/^:/, "")}`;
}
