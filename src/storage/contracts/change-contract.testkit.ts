import { expect, test } from "bun:test";
import { exampleKey } from "../../access/key.testkit.ts";
import { tester } from "../../changes/actor.testkit.ts";
import type { Change, ChangeQuery } from "../../changes/change.ts";
import { failureOf } from "../../records/failure-of.testkit.ts";
import type { Storage } from "../storage.ts";

const all: ChangeQuery = { kind: null, id: null, limit: 1_000, after: null };

/** Tests of the audit trail that every storage must pass. */
export function changeContract(stores: () => { readonly storage: Storage; readonly other: Storage }): void {
  const trailOf = (id: string) => stores().storage.changes.list({ ...all, id });

  test("each change of a key is written down once with what was before and after, without secrets", async () => {
    const { storage } = stores();
    const key = exampleKey({ id: "trail00001", secretHash: "c".repeat(64) });
    const steps = [
      { name: "another" },
      {},
      { secretHash: "d".repeat(64), previousSecretHash: "c".repeat(64), previousExpiresAt: 5_000 },
      { disabledAt: 7_000 },
      { disabledAt: null },
    ];
    await storage.keys.insert(key, { kind: "key", id: "admin00000" });
    for (const step of steps) await storage.keys.update(key.id, () => step, tester);
    const trail = await trailOf(key.id);
    expect(trail.map(({ action }) => action)).toEqual(["enable", "disable", "rotate", "change", "create"]);
    expect(trail[0]).toMatchObject({ by: tester, before: { disabled_at: 7 }, after: { disabled_at: null } });
    expect(trail[2]).toMatchObject({ before: { old_secret_expires_at: null }, after: { old_secret_expires_at: 5 } });
    expect(trail[3]).toMatchObject({ before: { name: "test" }, after: { name: "another" } });
    expect(trail[4]).toMatchObject({ kind: "key", before: null, after: { name: "test" }, by: { id: "admin00000" } });
    expect(JSON.stringify(trail)).not.toMatch(/c{64}|d{64}/);
  });

  test("a change that fails, or finds nothing to change, leaves no entry", async () => {
    const { storage } = stores();
    const key = exampleKey({ id: "trail00002" });
    await storage.keys.insert(key, tester);
    expect(await failureOf(storage.keys.insert(key, tester))).toBeInstanceOf(Error);
    await storage.keys.update("trail0none", () => ({ name: "b" }), tester);
    const thrown = storage.keys.update(
      key.id,
      () => {
        throw new Error("no");
      },
      tester,
    );
    expect(String(await failureOf(thrown))).toContain("no");
    const definition = { kind: "alias", id: "trail-route", leadsTo: "m" } as const;
    const stale = (await storage.routes.version()) - 1;
    expect(await storage.routes.put({ definition, updatedAt: 1 }, stale, tester)).toBe(false);
    expect(await storage.routes.remove("trail-route", stale + 1, tester)).toBe(false);
    expect(await trailOf(key.id)).toHaveLength(1);
    expect(await trailOf("trail-route")).toEqual([]);
  });

  test("no change of a key at once is lost, and each is written down with the state it met", async () => {
    const { storage, other } = stores();
    const key = exampleKey({ id: "trail00003", limits: { ...exampleKey().limits, requestsPerMinute: 0 } });
    await storage.keys.insert(key, tester);
    const add = ({ limits }: typeof key) => ({
      limits: { ...limits, requestsPerMinute: Number(limits.requestsPerMinute) + 1 },
    });
    const rounds = Array.from({ length: 3 }, (_, round) => [storage, other][round % 2] ?? storage);
    await Promise.all(rounds.map((each) => each.keys.update(key.id, add, tester)));
    const limits = (await trailOf(key.id)).map(({ after }) => (after as { limits: object } | null)?.limits);
    expect(limits).toMatchObject([3, 2, 1, 0].map((count) => ({ requests_per_minute: count })));
  });

  test("routes and prices have their entries too", async () => {
    const { storage, other } = stores();
    const put = async (leadsTo: string) => {
      const definition = { kind: "alias", id: "trail/a", leadsTo } as const;
      await storage.routes.put({ definition, updatedAt: 1 }, await storage.routes.version(), tester);
    };
    await put("m");
    await put("n");
    await other.routes.remove("trail/a", await other.routes.version(), tester);
    expect(await trailOf("trail/a")).toMatchObject([
      { action: "remove", before: { alias: "n" }, after: null },
      { action: "change", before: { alias: "m" }, after: { alias: "n" } },
      { kind: "route", action: "create", before: null, after: { alias: "m" } },
    ]);
    const prices = await storage.changes.list({ ...all, kind: "price_list" });
    expect(prices).toHaveLength((await storage.prices.changes()).length);
  });

  test("is read in pages, newest first, and by kind", async () => {
    const { storage } = stores();
    const whole = await storage.changes.list(all);
    expect(whole.length).toBeGreaterThan(5);
    let paged: readonly Change[] = [];
    for (let place = 0; place < whole.length; place += 3) {
      const after = paged.at(-1)?.sequence ?? null;
      paged = [...paged, ...(await storage.changes.list({ ...all, limit: 3, after }))];
    }
    expect(paged).toEqual(whole);
    const routes = await storage.changes.list({ ...all, kind: "route" });
    expect(routes).toEqual(whole.filter(({ kind }) => kind === "route"));
  });
}
