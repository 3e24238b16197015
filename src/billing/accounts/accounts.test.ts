import { expect, test } from "bun:test";
import { createAccounts } from "./accounts.ts";

/** The balance of an account with this much in the storage, of which this process holds `held`. */
function balanceOf(mode: "prepaid" | "unlimited", stored: number, held: number) {
  const account = { id: "a", name: "a", mode, markupBasisPoints: 0, createdAt: 1 };
  const balance = { balanceMicrousd: stored, heldMicrousd: 0, durablyHeldMicrousd: 0, leasedMicrousd: 0 };
  const accounts = createAccounts({
    store: { find: async () => account, balance: async () => balance },
    holds: { heldMicrousd: () => held, leaseIds: () => [] },
    unstoredMicrousd: () => 0,
  });
  return accounts.balance("a");
}

test("what is held of a prepaid balance is shown", async () => {
  expect(await balanceOf("prepaid", 100, 30)).toEqual({ balanceMicrousd: 100, heldMicrousd: 30 });
});

test("a hold whose charge the storage has booked just now does not make less than nothing available", async () => {
  expect(await balanceOf("prepaid", 20, 100)).toEqual({ balanceMicrousd: 20, heldMicrousd: 20 });
});

test("an unlimited account may hold more than it has", async () => {
  expect(await balanceOf("unlimited", -20, 30)).toEqual({ balanceMicrousd: -20, heldMicrousd: 30 });
});
