import { expect, test } from "bun:test";
import { createActiveKeys } from "./active-keys.ts";

test("keys are active for a minute after they were last here, and for as long as they hold a request", () => {
  const time = { now: 0 };
  const keys = createActiveKeys({ now: () => time.now });
  const visit = (keyId: string) => keys.rest(keyId, keys.arrive(keyId));
  keys.arrive("busy").requests++;
  visit("first");
  time.now = 30_000;
  visit("second");
  expect(keys.count).toBe(3);
  time.now = 60_000;
  visit("third");
  expect(keys.count).toBe(3);
  time.now = 200_000;
  visit("third");
  expect(keys.count).toBe(2);
});

test("of those that hold nothing, the longest gone are forgotten", () => {
  const keys = createActiveKeys({ now: () => 0 }, 2);
  const busy = keys.arrive("busy");
  busy.requests++;
  for (const keyId of ["a", "b", "c", "d"]) keys.rest(keyId, keys.arrive(keyId));
  expect(keys.count).toBe(3);
  expect(keys.arrive("busy")).toBe(busy);
});
