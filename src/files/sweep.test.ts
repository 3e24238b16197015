import { expect, test } from "bun:test";
import { until } from "../../test/until.testkit.ts";
import { startSweep } from "./sweep.ts";

test("a blob that cannot be removed does not keep the others", async () => {
  const blobs = new Set(["stuck", "one", "two"]);
  const warnings: string[] = [];
  const sweep = startSweep({
    store: {
      deleteExpired: () => Promise.resolve(0),
      giveUpBlobs: (_, limit) => Promise.resolve([...blobs].slice(0, limit)),
      forgetBlob: (key) => Promise.resolve(void blobs.delete(key)),
    },
    blobs: { remove: (key) => (key === "stuck" ? Promise.reject(new Error("EACCES")) : Promise.resolve()) },
    clock: { now: () => 0 },
    log: { warn: (_, message) => void warnings.push(message) },
  });
  await until("the others to be removed", () => blobs.size === 1);
  await sweep.stop();
  expect([...blobs]).toEqual(["stuck"]);
  expect(warnings).toHaveLength(1);
});
