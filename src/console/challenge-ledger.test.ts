import { expect, test } from "bun:test";
import { createChallengeLedger } from "./challenge-ledger.ts";

test("an address that asks for many challenges loses its own oldest, and no one else's", () => {
  const ledger = createChallengeLedger({ now: () => 0 }, 4);
  expect(ledger.add("victim", "192.0.2.1")).toEqual([]);
  const lost = [1, 2, 3, 4, 5].flatMap((count) => ledger.add(`flood${count}`, "198.51.100.1"));
  expect(lost).toEqual(["flood1", "flood2"]);
  // All addresses of one /64 count as one.
  expect(ledger.add("other1", "2001:db8::1")).toEqual(["flood3"]);
  expect(ledger.add("other2", "2001:db8::2")).toEqual(["flood4"]);
  expect(ledger.add("other3", "2001:db8:0:0:1::3")).toEqual(["other1"]);
});

test("a flood from thousands of addresses that ask more than once takes no challenge of a user who asked once", () => {
  const ledger = createChallengeLedger({ now: () => 0 }, 1_000);
  ledger.add("victim", "192.0.2.1");
  const lost = new Set<string>();
  for (let round = 0; round < 10; round++) {
    for (let host = 0; host < 900; host++) {
      for (const id of ledger.add(`${round}-${host}`, `10.0.${host >> 8}.${host & 255}`)) lost.add(id);
    }
  }
  expect(lost.size).toBe(10 * 900 + 1 - 1_000);
  expect(lost.has("victim")).toBeFalse();
});

test("challenges whose time is over hold no room", () => {
  let now = 0;
  const ledger = createChallengeLedger({ now: () => now }, 2);
  ledger.add("a", "192.0.2.1");
  ledger.add("b", "192.0.2.2");
  now = 600_000;
  expect(ledger.add("c", "192.0.2.3")).toEqual([]);
  expect(ledger.add("d", "192.0.2.4")).toEqual([]);
  expect(ledger.add("e", "192.0.2.3")).toEqual(["c"]);
});
