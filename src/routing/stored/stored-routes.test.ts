import { expect, test } from "bun:test";
import type { RouteDefinition } from "../names/route.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { createMemoryRouteStore } from "./route-store.testkit.ts";
import type { RouteStore } from "./route-store.ts";
import { followStoredRoutes } from "./stored-routes.ts";

const alias = (id: string, leadsTo: string): RouteDefinition => ({ kind: "alias", id, leadsTo });

/** Follows a store and collects the routes that it applies and the lines that it logs. */
async function follow(store: RouteStore, options: { intervalMs?: number; broken?: ReadonlyMap<string, string> } = {}) {
  const { intervalMs = 3_600_000, broken = new Map<string, string>() } = options;
  const applied: string[][] = [];
  const lines: string[] = [];
  const write = (fields: object, message: string) => void lines.push(`${message} ${JSON.stringify(fields)}`);
  const stored = await followStoredRoutes({
    store,
    intervalMs,
    log: { info: write, warn: write },
    apply(definitions) {
      applied.push(definitions.map(({ id }) => id));
    },
    problems: () =>
      (applied.at(-1) ?? []).flatMap((id) => (broken.has(id) ? [{ id, problem: broken.get(id) ?? "" }] : [])),
  });
  const put = async (definition: RouteDefinition) =>
    store.put({ definition, updatedAt: 7 }, await store.version(), tester);
  return { stored, applied, lines, put };
}

async function eventually(condition: () => boolean): Promise<void> {
  for (let tries = 0; tries < 500 && !condition(); tries++) await Bun.sleep(5);
  if (!condition()) throw new Error("The condition did not come true.");
}

test("routes stored before the start are in force, and unchanged routes are not read again", async () => {
  const store = createMemoryRouteStore();
  await store.put({ definition: alias("a", "m"), updatedAt: 7 }, 0, tester);
  const { stored, applied, put } = await follow(store);
  expect(stored.list()).toEqual([{ definition: alias("a", "m"), updatedAt: 7, problem: null }]);
  await stored.refresh();
  expect(applied).toEqual([["a"]]);
  await put(alias("b", "a"));
  await stored.refresh();
  expect(applied).toEqual([["a"], ["a", "b"]]);
  await stored.stop();
});

test("a change by another process is followed until stop", async () => {
  const inner = createMemoryRouteStore();
  let asked = 0;
  const version = () => {
    asked++;
    return inner.version();
  };
  const { stored, applied, put } = await follow({ ...inner, version }, { intervalMs: 5 });
  await put(alias("a", "m"));
  await eventually(() => applied.length === 2);
  expect(stored.list()).toHaveLength(1);
  await stored.stop();
  const askedBefore = asked;
  // Another follower that keeps running shows that intervals pass.
  const other = await follow(createMemoryRouteStore(), { intervalMs: 5 });
  for (let change = 1; change <= 3; change++) {
    await other.put(alias("a", `m${change}`));
    await eventually(() => other.applied.length > change);
  }
  await other.stored.stop();
  expect(asked).toBe(askedBefore);
});

test("an invalid route is left out and logged once, and again if its problem changes", async () => {
  const store = createMemoryRouteStore();
  const broken = new Map([["a", "'gone' does not exist"]]);
  const { stored, lines, put } = await follow(store, { broken });
  await put(alias("a", "gone"));
  await stored.refresh();
  await put(alias("b", "m"));
  await stored.refresh();
  expect(stored.list().map(({ problem }) => problem)).toEqual(["'gone' does not exist", null]);
  expect(lines).toEqual([
    `A stored route is invalid and not in force. {"route":"a","problem":"'gone' does not exist"}`,
  ]);

  broken.set("a", "the configuration uses this name");
  await put(alias("c", "m"));
  await stored.refresh();
  expect(lines).toHaveLength(2);
  broken.clear();
  await put(alias("d", "m"));
  await stored.refresh();
  expect(stored.list().map(({ problem }) => problem)).toEqual([null, null, null, null]);
  await stored.stop();
});

test("if the storage fails, the known routes stay in force and one line is logged", async () => {
  const inner = createMemoryRouteStore();
  let failing: "version" | "list" | null = null;
  const { stored, applied, lines } = await follow({
    ...inner,
    version: () => (failing === "version" ? Promise.reject(new Error("connection refused")) : inner.version()),
    list: () => (failing === "list" ? Promise.reject(new Error("gone again")) : inner.list()),
  });
  await inner.put({ definition: alias("a", "m"), updatedAt: 7 }, 0, tester);
  await stored.refresh();
  failing = "version";
  await stored.refresh();
  await stored.refresh();
  await inner.put({ definition: alias("b", "m"), updatedAt: 7 }, 1, tester);
  failing = "list";
  await stored.refresh();
  expect(stored.list()).toHaveLength(1);
  failing = null;
  await stored.refresh();
  expect(applied).toEqual([[], ["a"], ["a", "b"]]);
  expect(lines.map((line) => line.split(" {")[0])).toEqual([
    "The stored routes cannot be read. The known routes stay in force.",
    "The stored routes can be read again.",
  ]);
  expect(lines[0]).toContain("connection refused");
  await stored.stop();
});

test("a storage that fails at the start does not prevent the start", async () => {
  const inner = createMemoryRouteStore();
  await inner.put({ definition: alias("a", "m"), updatedAt: 7 }, 0, tester);
  let isDown = true;
  const version = () => (isDown ? Promise.reject(new Error("not yet")) : inner.version());
  const { stored, applied } = await follow({ ...inner, version });
  expect({ applied, list: stored.list() }).toEqual({ applied: [], list: [] });
  isDown = false;
  await stored.refresh();
  expect(applied).toEqual([["a"]]);
  await stored.stop();
});
