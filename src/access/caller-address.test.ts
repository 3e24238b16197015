import { describe, expect, test } from "bun:test";
import { callerAddress } from "./caller-address.ts";
import { compileIpRanges } from "./ip-range.ts";

const proxies = compileIpRanges(["10.0.0.0/8", "2001:db8:ffff::/48"]);

const from = (remoteAddress: string, forwarded: string | null, trusted = proxies) =>
  callerAddress(
    { remoteAddress, headers: new Headers(forwarded === null ? {} : { "x-forwarded-for": forwarded }) },
    trusted,
  );

describe("the address of a caller", () => {
  test("is that of the connection, whatever the caller writes", () => {
    expect(from("192.0.2.1", "198.51.100.1")).toBe("192.0.2.1");
    expect(from("::ffff:192.0.2.1", null)).toBe("192.0.2.1");
    const { headers } = new Request("http://x", { headers: { "x-forwarded-for": "198.51.100.1" } });
    expect(callerAddress({ remoteAddress: "10.0.0.1", headers }, null)).toBe("10.0.0.1");
  });

  test("behind trusted proxies it is the last one that is none of them", () => {
    expect(from("10.0.0.1", "198.51.100.1")).toBe("198.51.100.1");
    expect(from("::ffff:10.0.0.1", "1.2.3.4, 198.51.100.1, 10.0.0.2")).toBe("198.51.100.1");
    expect(from("2001:db8:ffff::1", "203.0.113.9,2001:db8::1")).toBe("2001:db8::1");
    expect(from("10.0.0.1", "1.2.3.4, 198.51.100.1:4711")).toBe("198.51.100.1");
    expect(from("10.0.0.1", "1.2.3.4, [2001:db8::1]:4711")).toBe("2001:db8::1");
  });

  test("is unknown if the proxy tells of none: what comes before may be the caller's own", () => {
    for (const forwarded of [
      null,
      "",
      "10.0.0.2",
      "198.51.100.1, unknown",
      "198.51.100.1,",
      `${"1.2.3.4,".repeat(2_000)}1.2.3.4`,
    ]) {
      expect(from("10.0.0.1", forwarded)).toBeNull();
    }
    expect(from("", "198.51.100.1")).toBeNull();
  });
});
