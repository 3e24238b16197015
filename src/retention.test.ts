import { expect, test } from "bun:test";
import { startRetention } from "./retention.ts";

const quiet = { warn() {} };
const clock = { now: () => 1_000_000 };

test("expired data is removed at the start, in batches until one is not full", async () => {
  const asked: [number, number][] = [];
  let gone = 450;
  const store = {
    async deleteExpired(aliveSince: number, maxRows: number) {
      asked.push([aliveSince, maxRows]);
      const deleted = Math.min(gone, maxRows);
      gone -= deleted;
      return deleted;
    },
  };
  const retention = startRetention({ what: "things", store, clock, log: quiet, retentionMs: 1_000 });
  await retention.removeExpired();
  expect(asked).toEqual([
    [999_000, 200],
    [999_000, 200],
    [999_000, 200],
  ]);
  expect(gone).toBe(0);
  await retention.stop();
});

test("rounds repeat, and a failed round is retried in the next one", async () => {
  const third = Promise.withResolvers<void>();
  const warnings: unknown[] = [];
  let calls = 0;
  const store = {
    async deleteExpired() {
      calls += 1;
      if (calls === 1) throw new Error("no database");
      if (calls === 3) third.resolve();
      return 0;
    },
  };
  const log = { warn: (fields: unknown) => void warnings.push(fields) };
  const retention = startRetention({ what: "things", store, clock, log, retentionMs: 1_000, intervalMs: 1 });
  await third.promise;
  await retention.stop();
  expect(warnings).toEqual([{ error: "Error: no database" }]);
});

test("stop waits for the current batch and starts no other", async () => {
  const batch = Promise.withResolvers<number>();
  let calls = 0;
  const store = {
    deleteExpired() {
      calls += 1;
      return batch.promise;
    },
  };
  const retention = startRetention({ what: "things", store, clock, log: quiet, retentionMs: 1_000 });
  const stopped = retention.stop();
  batch.resolve(200);
  await stopped;
  expect(calls).toBe(1);
});
