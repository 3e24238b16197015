import { expect, test } from "bun:test";
import { followStored } from "./follow-stored.ts";

test("a refresh sees what was stored before it, also while an earlier read runs", async () => {
  let stored = "old";
  const { promise: slow, resolve } = Promise.withResolvers<void>();
  let reads = 0;
  const read = async () => {
    const seen = stored;
    if ((reads += 1) === 2) await slow;
    return seen;
  };
  const followed = await followStored({ read, what: "It", log: { warn: () => {} }, intervalMs: 60_000 });
  const earlier = followed.refresh();
  stored = "new";
  const refreshed = followed.refresh();
  resolve();
  await refreshed;
  expect(followed.value).toBe("new");
  await earlier;
  await followed.stop();
});
