import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createDialects } from "../../src/dialects/dialect.ts";
import { dialects } from "../../src/dialects/registry.ts";
import { openStorage } from "../../src/storage/open-storage.ts";
import { createTestDatabase } from "../../src/storage/postgres/test-database.testkit.ts";
import type { Storage } from "../../src/storage/storage.ts";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { idOf } from "../sse-text.testkit.ts";
import { toy } from "../toy/dialect.ts";
import { startToyUpstream, type ToyUpstream } from "../toy/upstream.testkit.ts";
import { until } from "../until.testkit.ts";
import { createPayer, expectSoundBook } from "./payer.testkit.ts";

/** Jobs of prepaid accounts: what they hold outlives the process, and their end is charged by the terms of their beginning. */

/** A job makes 8 seconds of film at 0.1 USD; a hold allows for rounding. */
const price = 800_000;
const hold = price + 6;

let upstream: ToyUpstream;
let folder: string;
beforeAll(() => {
  upstream = startToyUpstream();
  folder = mkdtempSync(join(tmpdir(), "tollgate-jobs-"));
});
afterAll(() => {
  upstream.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(storageUrl: string, secondMicrousd: number): Promise<TestGateway> {
  return startTestGateway({
    folder: mkdtempSync(join(folder, "gateway-")),
    storageUrl,
    dialects: createDialects([...dialects.all, toy]),
    providers: () => [{ id: "toy", dialects: ["toy"], baseUrl: upstream.url, apiKeys: ["toy-key"] }],
    models: [
      {
        id: "toy",
        targets: [{ provider: "toy", model: "toy-1" }],
        endpoints: ["toy_jobs"],
        prices: { video_second: secondMicrousd },
      },
    ],
  });
}

/** A key that makes jobs at a gateway, which may be started again. */
function jobsOf(gateway: TestGateway, key: string) {
  const headers = { authorization: `Bearer ${key}`, "content-type": "application/json" };
  return {
    async begin() {
      const body = JSON.stringify({ model: "toy" });
      const response = await gateway.fetch("/v1/toy/jobs", { method: "POST", headers, body });
      const { id = "" } = (await response.json()) as { id?: string };
      return { status: response.status, id, request: idOf(response) };
    },
    end: async (id: string, status: "succeeded" | "failed", seconds?: number) => {
      upstream.endJob(id, status, seconds);
      expect((await gateway.fetch(`/v1/toy/jobs/${id}?model=toy`, { headers })).status).toBe(200);
    },
    record: (request: string | null) => gateway.record(request, key),
    /** Waits until the account shows this. On SQLite the end of a job comes to the storage a moment after its record. */
    async expectAccount(balance: number, held: number) {
      await until(`a balance of ${balance} of which ${held} are held`, async () => {
        const shown: unknown = await (await gateway.fetch("/api/account", { headers })).json();
        const wanted = { balance_microusd: balance, held_microusd: held, available_microusd: balance - held };
        return Bun.deepMatch(wanted, shown);
      });
    },
  };
}

test.each(["SQLite", "Postgres"] as const)(
  "holds of jobs survive restarts, on %s",
  async (kind) => {
    const database = kind === "Postgres" ? await createTestDatabase() : null;
    const url = database?.url ?? `sqlite:${join(folder, "tollgate.db")}`;
    const credit = 3 * hold + 500_000;
    let gateway = await start(url, 100_000);
    const storage: Storage = await openStorage(url);
    try {
      const { key, id: accountId } = await createPayer(gateway, storage, credit);
      const before = jobsOf(gateway, key);
      const jobs = [await before.begin(), await before.begin(), await before.begin()];
      expect(jobs.map(({ status }) => status)).toEqual([200, 200, 200]);
      expect((await before.begin()).status).toBe(402);
      await before.expectAccount(credit, 3 * hold);
      const [done, failed, long] = jobs;
      if (!done || !failed || !long) throw new Error("There are three jobs.");
      expect(await before.record(done.request)).toMatchObject({
        status: "pending",
        billing: { status: "pending", amount_microusd: 0, held_microusd: hold },
      });
      await gateway.stop();
      await expectSoundBook(storage);

      // Dearer now: what was begun before keeps its price.
      gateway = await start(url, 1_000_000);
      const after = jobsOf(gateway, key);
      await after.expectAccount(credit, 3 * hold);
      expect((await after.begin()).status).toBe(402);

      await after.end(done.id, "succeeded");
      expect((await after.record(done.request)).billing).toMatchObject({
        status: "charged",
        amount_microusd: price,
        held_microusd: hold,
        pricing_version: 1,
      });
      await after.expectAccount(credit - price, 2 * hold);

      await after.end(failed.id, "failed");
      expect((await after.record(failed.request)).billing).toMatchObject({ status: "refunded", amount_microusd: 0 });
      await after.expectAccount(credit - price, hold);

      await after.end(long.id, "succeeded", 90);
      expect((await after.record(long.request)).billing).toMatchObject({ amount_microusd: price, suspect: true });
      await after.end(long.id, "succeeded", 90);
      await after.expectAccount(credit - 2 * price, 0);

      await expectSoundBook(storage);
      const kinds = (await storage.accounts.entries(accountId, { limit: 100, after: null })).map((entry) => entry.kind);
      const count = (wanted: string) => kinds.filter((each) => each === wanted).length;
      expect(["credit", "hold", "charge", "release"].map(count)).toEqual([1, 3, 2, 3]);
    } finally {
      await gateway.stop();
      await storage.close();
      await database?.drop();
    }
  },
  60_000,
);
