import type { Clock } from "../../clock.ts";
import { newRequestId } from "../../identifiers.ts";
import type { AccountStore, NewEntry, Posted } from "./account-store.ts";
import { entryId } from "./ledger.ts";

/** How long running gateways have to give back what they reserved and do not need. */
const patienceMs = 3_000;
const retryMs = 100;

/**
 * Credits or debits an account. What is free may be on lease to gateways that do not need it: they give it back when they
 * are asked, which takes up to 3 s.
 */
export async function postAmount(
  store: Pick<AccountStore, "post">,
  entry: Omit<NewEntry, "id" | "createdAt">,
  clock: Clock,
): Promise<Posted> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    const createdAt = clock.now();
    const id = entryId(newRequestId(createdAt).slice("req_".length));
    const posted = await store.post({ ...entry, id, createdAt });
    if (posted.kind !== "insufficient" || performance.now() > deadline) return posted;
    const { balanceMicrousd, heldMicrousd } = posted.balance;
    if (balanceMicrousd - heldMicrousd < -entry.amountMicrousd) return posted;
    await Bun.sleep(retryMs);
  }
}
