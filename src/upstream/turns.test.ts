import { expect, test } from "bun:test";
import { createTurns } from "./turns.ts";

test("so many at once, the others in their order, and no more waiting than allowed", async () => {
  const turns = createTurns(2, 2);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const work = (name: number) => () =>
    new Promise<number>((resolve) => {
      begun.push(name);
      ends.push(() => resolve(name));
    });
  const all = [1, 2, 3, 4].map((name) => turns.take(work(name)));
  expect(begun).toEqual([1, 2]);
  const refusal: unknown = await turns.take(work(5)).catch((error: unknown) => error);
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

  const again = turns.take(work(6));
  expect(begun.at(-1)).toBe(6);
  ends.at(-1)?.();
  await again;
});

test("what fails gives its turn on", async () => {
  const turns = createTurns(1, 1);
  const failing = turns.take(() => Promise.reject(new Error("no")));
  const next = turns.take(() => Promise.resolve("yes"));
  expect(await failing.catch(String)).toBe("Error: no");
  expect(await next).toBe("yes");
});
