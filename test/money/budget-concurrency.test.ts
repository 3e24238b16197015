import { tester } from "../../src/changes/actor.testkit.ts";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { exampleBudget } from "../../src/billing/budgets/example-budget.testkit.ts";
import { setBudget } from "../../src/billing/budgets/set-budget.ts";
import { type Sandbox, startSandbox } from "../../src/sandbox/server.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import { until } from "../until.testkit.ts";
import { ask, charge, count, createScene, findingsOf, hold, type Scene, storageKinds } from "./scene.testkit.ts";

/** A hard budget under more requests than it covers, on both databases, with one and two processes of the gateway. */

let sandbox: Sandbox;
let postgres: Awaited<ReturnType<typeof createTestDatabase>>;
beforeAll(async () => {
  // The server of the databases starts with the first.
  [sandbox, postgres] = await Promise.all([startSandbox(), createTestDatabase()]);
}, 120_000);
afterAll(async () => {
  await Promise.all([sandbox.stop(), postgres.drop()]);
});

const limit = 10 * hold + 17;

function setUp(kind: (typeof storageKinds)[number], processes: number): Promise<Scene> {
  return createScene({
    kind,
    processes,
    credit: null,
    sandboxUrl: sandbox.url,
    prepare: async ({ budgets }, keyId) => {
      const wish = exampleBudget({ keyId, amountMicrousd: limit, per: "month", notify: [50, 80, 100] });
      await setBudget(budgets, wish, Date.now(), tester);
    },
  });
}

/** The one counter of the scene's budget. */
async function counter(scene: Scene) {
  const [row] = await scene.run("select spent_microusd, held_microusd from budget_counters");
  return Object.values(row ?? {}).map(Number);
}

describe.each(storageKinds)("%s", (kind) => {
  test.each([1, 2])(
    "200 requests at once on a budget that covers 10, with %p process(es): 10 are served",
    async (processes) => {
      const scene = await setUp(kind, processes);
      try {
        const { gateways, key, storage } = scene;
        const [first] = gateways;
        if (first === undefined) throw new Error("There is no gateway.");
        const answers = await Promise.all(
          Array.from({ length: 200 }, (_, index) => ask(gateways[index % processes] ?? first, key, 5_000)),
        );
        expect([count(answers, 200), count(answers, 402)]).toEqual([10, 190]);
        expect(new Set(answers.map(({ code }) => code))).toEqual(new Set([null, "budget_exceeded"]));
        // What was held beyond the charges is free again at once, for none more request.
        const left = limit - 10 * charge;
        expect(left).toBeLessThan(hold);
        expect((await ask(gateways.at(-1) ?? first, key, 0)).code).toBe("budget_exceeded");
        await until("all charges are counted", async () => (await counter(scene))[0] === 10 * charge);
        expect(await counter(scene)).toEqual([10 * charge, 0]);
        expect(await findingsOf(storage)).toEqual([]);
        const events = await scene.run("select kind, payload from outbox order by kind, id");
        const seen = events.map((event) => {
          const { kind: what, payload } = event as { kind: string; payload: string };
          return [what, (JSON.parse(payload) as { percent: number }).percent];
        });
        expect(seen).toEqual([
          ["budget.threshold", 50],
          ["budget.threshold", 80],
        ]);
      } finally {
        await scene.close();
      }
    },
    120_000,
  );
});

// Both mostly wait until what the dead process had runs out.
test.concurrent.each(storageKinds)(
  "%s: of two processes one is killed half-way: what it held returns, and each charge is counted once",
  async (kind) => {
    const scene = await setUp(kind, 2);
    try {
      const { gateways, key, storage } = scene;
      const [survivor, victim] = gateways;
      if (survivor === undefined || victim === undefined) throw new Error("Two gateways are needed.");
      const early = await Promise.all([survivor, victim, survivor, victim].map((gateway) => ask(gateway, key, 0)));
      expect(count(early, 200)).toBe(4);
      const lost = Promise.all([victim, victim, victim].map((gateway) => ask(gateway, key, 20_000)));
      await until("three requests hold", async () => {
        return (await scene.run("select 1 from budget_holds where amount_microusd > 1000")).length === 3;
      });
      victim.kill("SIGKILL");
      expect(count(await lost, 0)).toBe(3);
      expect(await findingsOf(storage)).toEqual([]);
      // The holds of dead processes expire now; those of the living are renewed.
      await scene.run("update budget_holds set expires_at = 0 where amount_microusd > 1000");
      await until(
        "what the dead process held returns",
        async () => {
          return (await scene.run("select 1 from budget_holds where amount_microusd > 1000")).length === 0;
        },
        40_000,
      );
      const rest = await Promise.all(Array.from({ length: 30 }, () => ask(survivor, key, 5_000)));
      expect([count(rest, 200), count(rest, 402)]).toEqual([6, 24]);
      await until("all charges are counted", async () => (await counter(scene))[0] === 10 * charge);
      expect(await counter(scene)).toEqual([10 * charge, 0]);
      expect(await findingsOf(storage)).toEqual([]);
    } finally {
      await scene.close();
    }
  },
  120_000,
);
