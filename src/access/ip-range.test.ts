import { describe, expect, test } from "bun:test";
import * as fc from "fast-check";
import { compileIpRanges, includesAddress, readIpAddress, readIpRange } from "./ip-range.ts";

describe("reading a range", () => {
  test.each([
    ["192.0.2.0/24", "192.0.2.0/24"],
    [" 192.0.2.7 ", "192.0.2.7"],
    ["192.0.2.7/32", "192.0.2.7"],
    ["0.0.0.0/0", "0.0.0.0/0"],
    ["2001:DB8::/32", "2001:db8::/32"],
    ["2001:db8:0:0:0:0:0:1", "2001:db8::1"],
    ["::1/128", "::1"],
    ["::/0", "::/0"],
    ["::ffff:192.0.2.7", "192.0.2.7"],
    ["::ffff:10.0.0.0/104", "10.0.0.0/8"],
    ["64:ff9b::192.0.2.33", "64:ff9b::c000:221"],
  ])("%s is written %s", (text, written) => expect(readIpRange(text)).toBe(written));

  test.each([
    "",
    "192.0.2.1/24",
    "192.0.2.0/33",
    "192.0.2.0/-1",
    "192.0.2.0/024",
    "192.0.2.0/",
    "192.0.2",
    "0300.0.2.1",
    "0x7f.1",
    "2001:db8::/129",
    "2001:db8::1/64",
    "::ffff:10.0.0.0/8",
    "fe80::1%eth0",
    "[::1]",
    "localhost",
    "192.0.2.0/24,10.0.0.0/8",
    "1".repeat(10_000),
  ])("%p is none", (text) => expect(readIpRange(text)).toBeNull());
});

describe("an address in ranges", () => {
  const has = (ranges: readonly string[], address: string) => includesAddress(compileIpRanges(ranges), address);

  test("is compared bit by bit", () => {
    expect(has(["192.0.2.128/25"], "192.0.2.128")).toBeTrue();
    expect(has(["192.0.2.128/25"], "192.0.2.127")).toBeFalse();
    expect(has(["10.0.0.0/8", "2001:db8::/33"], "2001:db8:7fff::1")).toBeTrue();
    expect(has(["10.0.0.0/8", "2001:db8::/33"], "2001:db8:8000::1")).toBeFalse();
    expect(has(["192.0.2.7"], "192.0.2.70")).toBeFalse();
  });

  test("is IPv4 if it is written as IPv6, and IPv6 has no IPv4 in it", () => {
    for (const address of ["::ffff:192.0.2.7", "::FFFF:c000:207"]) expect(has(["192.0.2.0/24"], address)).toBeTrue();
    expect(has(["::/0"], "192.0.2.7")).toBeFalse();
    expect(has(["::/0"], "::ffff:192.0.2.7")).toBeFalse();
    expect(has(["0.0.0.0/0"], "::1")).toBeFalse();
  });

  test("may have a zone, and what is no address is in no range", () => {
    expect(has(["fe80::/10"], "fe80::1%eth0")).toBeTrue();
    for (const text of ["", "unknown", "_hidden", "192.0.2.7:80"]) expect(has(["0.0.0.0/0", "::/0"], text)).toBeFalse();
  });

  test("is in the range of its own prefix, and not in that of one bit flipped within it", () => {
    fc.assert(
      fc.property(fc.ipV4(), fc.integer({ min: 1, max: 32 }), fc.nat(), (address, bits, chosen) => {
        const whole = address.split(".").reduce((sum, part) => sum * 256 + Number(part), 0);
        const network = Math.floor(whole / 2 ** (32 - bits)) * 2 ** (32 - bits);
        const write = (value: number) => [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join(".");
        const flipped = 2 ** (31 - (chosen % bits));
        const other = Math.floor(network / flipped) % 2 === 0 ? network + flipped : network - flipped;
        expect(has([`${write(network)}/${bits}`], address)).toBeTrue();
        expect(has([`${write(other)}/${bits}`], address)).toBeFalse();
      }),
    );
  });

  test("a range that was written is read as itself", () => {
    fc.assert(
      fc.property(fc.ipV6(), (address) => {
        const written = readIpAddress(address);
        expect(written).not.toBeNull();
        expect(readIpRange(written ?? "")).toBe(written);
        expect(has([written ?? ""], address)).toBeTrue();
      }),
    );
  });
});
