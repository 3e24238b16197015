import { expect, test } from "bun:test";
import { createSemaphore } from "./semaphore.ts";

test("runs up to the limit, queues the rest in order, and refuses more than may wait", async () => {
  const semaphore = createSemaphore(2, 2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (name: number) => () =>
    new Promise<number>((resolve) => {
      begun.push(name);
      ends.push(() => resolve(name));
    });
  const all = [1, 2, 3, 4].map((name) => semaphore.run(work(name)));
  expect(begun).toEqual([1, 2]);
  const refusal: unknown = await semaphore.run(work(5)).catch((error: unknown) => error);
  expect(refusal).toMatchObject({ status: 503, code: "overloaded" });

  ends[1]?.();
  expect(await all[1]).toBe(2);
  expect(begun).toEqual([1, 2, 3]);
  ends[0]?.();
  await all[0];
  expect(begun).toEqual([1, 2, 3, 4]);
  ends[2]?.();
  ends[3]?.();
  expect(await Promise.all(all)).toEqual([1, 2, 3, 4]);

  const again = semaphore.run(work(6));
  expect(begun.at(-1)).toBe(6);
  ends.at(-1)?.();
  await again;
});

test("a task that fails frees its slot", async () => {
  const semaphore = createSemaphore(1, 1);
  const failing = semaphore.run(() => Promise.reject(new Error("no")));
  const next = semaphore.run(() => Promise.resolve("yes"));
  expect(await failing.catch(String)).toBe("Error: no");
  expect(await next).toBe("yes");
});
