import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import {
  account,
  ask,
  charge,
  count,
  createScene,
  findingsOf,
  hold,
  type Scene,
  settledBalance,
  settledCharges,
  storageKinds,
} from "./scene.testkit.ts";

/** Prepaid balances under more requests than they cover, on both databases, with one and two processes of the gateway. */

let sandbox: Sandbox;
let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  // The server of the databases starts with the first.
  [sandbox, postgres] = await Promise.all([startSandbox(), createTestDatabase()]);
}, 120_000);
afterAll(async () => {
  await Promise.all([sandbox.stop(), postgres.drop()]);
});

const setUp = (kind: (typeof storageKinds)[number], processes: number, credit: number): Promise<Scene> =>
  createScene({ kind, processes, credit, sandboxUrl: sandbox.url });

describe.each(storageKinds)("%s", (kind) => {
  test.each([1, 2])(
    "200 requests at once on a balance that covers 10, with %p process(es): 10 are served",
    async (processes) => {
      const scene = await setUp(kind, processes, 10 * hold + 17);
      try {
        const { gateways, key, storage } = scene;
        const [first] = gateways;
        if (first === undefined) throw new Error("There is no gateway.");
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, index) => ask(gateways[index % processes] ?? first, key, 5_000)),
        );
        expect([count(answers, 200), count(answers, 402)]).toEqual([10, 190]);
        expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([null, "insufficient_balance"]));
        expect(await settledBalance(storage, 10)).toBe(10 * hold + 17 - 10 * charge);
        const charges = await settledCharges(storage, 10);
        expect(charges).toEqual(Array.from({ length: 10 }, () => charge));
        expect(await findingsOf(storage)).toEqual([]);
      } finally {
        await scene.close();
      }
    },
    120_000,
  );
});

// Both mostly wait until what the dead process had runs out.
test.concurrent.each(storageKinds)(
  "%s: of two processes one is killed half-way: nothing is lost or made, and what it had returns",
  async (kind) => {
    const credit = 120 * hold;
    const scene = await setUp(kind, 2, credit);
    try {
      const { gateways, key, storage } = scene;
      const [survivor, victim] = gateways;
      if (survivor === undefined || victim === undefined) throw new Error("Two gateways are needed.");
      let answered = 0;
      const asking = Array.from({ length: 200 }, async (_, index) => {
        const answer = await ask(index % 2 === 0 ? survivor : victim, key, 20 + ((index * 37) % 400));
        answered += 1;
        if (answered === 60) victim.kill("SIGKILL");
        return answer;
      });
      const answers = await Promise.all(asking);
      expect(count(answers, 0)).toBeGreaterThan(0);
      const served = count(answers, 200);
      // A request whose answer was lost with its process may have been charged: its record was kept.
      // The leases of dead processes expire now.
      await scene.run("update leases set expires_at = 0");
      const deadline = performance.now() + 60_000;
      let leased = Infinity;
      while (leased > 0 && performance.now() < deadline) {
        await Bun.sleep(200);
        leased = (await storage.accounts.balance(account))?.leasedMicrousd ?? 0;
      }
      expect(leased).toBe(0);
      const entries = await storage.accounts.entries(account, { limit: 1_000, after: null });
      const charged = entries.filter((entry) => entry.kind === "charge").length;
      expect(charged).toBeGreaterThanOrEqual(served);
      expect(entries.filter((entry) => entry.kind === "adjustment")).toEqual([]);
      expect(await settledBalance(storage, charged)).toBe(credit - charged * charge);

      // All of the rest can be spent, to the last request that it covers.
      const due = Math.floor((credit - charged * charge) / hold);
      const rest = await Promise.all(Array.from({ length: due + 50 }, () => ask(survivor, key, 5_000)));
      expect([count(rest, 200), count(rest, 402)]).toEqual([due, 50]);
      expect(await settledBalance(storage, charged + due)).toBe(credit - (charged + due) * charge);
      expect(await findingsOf(storage)).toEqual([]);
    } finally {
      await scene.close();
    }
  },
  180_000,
);
