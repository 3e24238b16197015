import { BlockList, isIP } from "node:net";

/**
 * The addresses that the gateway may call on a caller's request. Everything but the public internet is refused:
 * the machine itself, its networks, cloud metadata services, and every form of IPv6 that embeds an IPv4 address and
 * could so lead back in.
 */

/** IANA's special-purpose IPv4 ranges. */
const closedIpv4 = [
  ["0.0.0.0", 8], // this network
  ["10.0.0.0", 8], // private
  ["100.64.0.0", 10], // behind a carrier's NAT
  ["127.0.0.0", 8], // this machine
  ["169.254.0.0", 16], // link-local, cloud metadata
  ["172.16.0.0", 12], // private
  ["192.0.0.0", 24], // protocol assignments
  ["192.0.2.0", 24], // documentation
  ["192.88.99.0", 24], // relays to 6to4
  ["192.168.0.0", 16], // private
  ["198.18.0.0", 15], // benchmarks
  ["198.51.100.0", 24], // documentation
  ["203.0.113.0", 24], // documentation
  ["224.0.0.0", 4], // multicast
  ["240.0.0.0", 4], // reserved, broadcast
] as const;

/** Of IPv6 only this is given to the public: mapped, NAT64, local and multicast addresses are all outside of it. */
const openIpv6 = ["2000::", 3] as const;

const closedIpv6 = [
  ["2001::", 23], // protocol assignments, Teredo
  ["2001:db8::", 32], // documentation
  ["2002::", 16], // 6to4
  ["3fff::", 20], // documentation
] as const;

const closed = new BlockList();
for (const [network, prefix] of closedIpv4) closed.addSubnet(network, prefix, "ipv4");
for (const [network, prefix] of closedIpv6) closed.addSubnet(network, prefix, "ipv6");
const open = new BlockList();
open.addSubnet(...openIpv6, "ipv6");

/** Whether an IP address, in any form `net.isIP` takes, belongs to the public internet. False for what is no address. */
export function isPublicAddress(address: string): boolean {
  switch (isIP(address)) {
    case 4:
      return !closed.check(address, "ipv4");
    case 6:
      // Only local addresses have a zone (`%eth0`).
      return !address.includes("%") && open.check(address, "ipv6") && !closed.check(address, "ipv6");
    default:
      return false;
  }
}
