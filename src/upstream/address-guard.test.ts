import { describe, expect, test } from "bun:test";
import fc from "fast-check";
import { isPublicAddress } from "./address-guard.ts";

describe("private addresses", () => {
  test.each([
    ["this network", "0.0.0.0"],
    ["this network, elsewhere", "0.1.2.3"],
    ["private", "10.0.0.1"],
    ["private", "172.16.0.1"],
    ["private, the last", "172.31.255.255"],
    ["private", "192.168.1.1"],
    ["a carrier's NAT", "100.64.0.1"],
    ["a carrier's NAT, the last", "100.127.255.255"],
    ["this machine", "127.0.0.1"],
    ["this machine, elsewhere", "127.255.255.254"],
    ["metadata", "169.254.169.254"],
    ["protocol assignments", "192.0.0.192"],
    ["documentation", "192.0.2.1"],
    ["documentation", "198.51.100.1"],
    ["documentation", "203.0.113.1"],
    ["benchmarks", "198.19.255.255"],
    ["6to4 relays", "192.88.99.1"],
    ["multicast", "224.0.0.1"],
    ["reserved", "240.0.0.1"],
    ["broadcast", "255.255.255.255"],
    ["any address", "::"],
    ["this machine", "::1"],
    ["mapped", "::ffff:127.0.0.1"],
    ["mapped, in hexadecimal", "::ffff:7f00:1"],
    ["mapped, of a public address", "::ffff:8.8.8.8"],
    ["compatible", "::127.0.0.1"],
    ["translated", "::ffff:0:127.0.0.1"],
    ["NAT64", "64:ff9b::127.0.0.1"],
    ["NAT64, local", "64:ff9b:1::a00:1"],
    ["6to4", "2002:7f00:1::"],
    ["Teredo", "2001:0:4136:e378:8000:63bf:3fff:fdd2"],
    ["discard", "100::1"],
    ["unique local", "fd00::1"],
    ["metadata", "fd00:ec2::254"],
    ["link-local", "fe80::1"],
    ["link-local with a zone", "fe80::1%eth0"],
    ["public with a zone", "2606:4700::1111%eth0"],
    ["site-local", "fec0::1"],
    ["multicast", "ff02::1"],
    ["documentation", "2001:db8::1"],
    ["documentation", "3fff::1"],
    ["segment routing", "5f00::1"],
    ["no address", "localhost"],
    ["a number", "2130706433"],
    ["nothing", ""],
  ])("%s: %s", (_, address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
});

test.each(["1.1.1.1", "8.8.8.8", "100.63.255.255", "100.128.0.0", "172.15.255.255", "172.32.0.0", "223.255.255.255"])(
  "%s is public",
  (address) => expect(isPublicAddress(address)).toBe(true),
);

test.each(["2606:4700:4700::1111", "2a00:1450:4001:81b::200e", "2001:4860:4860::8888"])("%s is public", (address) =>
  expect(isPublicAddress(address)).toBe(true),
);

test("a private IPv4 address is refused in its IPv6 forms too", () => {
  const wrappings = ["::", "::ffff:", "::ffff:0:", "64:ff9b::", "64:ff9b:1::"];
  fc.assert(
    fc.property(fc.ipV4(), fc.constantFrom(...wrappings), (address, wrapping) => {
      expect(isPublicAddress(wrapping + address)).toBe(false);
    }),
  );
});
