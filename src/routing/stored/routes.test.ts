import { expect, test } from "bun:test";
import { defaultConfig } from "../../config/defaults.ts";
import { routeReader } from "../../config/routes/route-reader.ts";
import type { RouteDefinition } from "../names/route.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { createMemoryRouteStore } from "./route-store.testkit.ts";
import type { RouteStore } from "./route-store.ts";
import { isAmong } from "./change-routes.ts";
import { openRoutes } from "./routes.ts";

const configured: readonly RouteDefinition[] = [{ kind: "alias", id: "fixed", leadsTo: "sandbox-chat" }];

async function open(store: RouteStore) {
  let inForce: readonly string[] = [];
  const warnings: string[] = [];
  const config = { ...defaultConfig(), routes: configured };
  const routes = await openRoutes({
    store,
    clock: { now: () => 5_000 },
    log: { info() {}, warn: (_fields, message) => void warnings.push(message) },
    isModel: isAmong(config.models),
    configured,
    read: routeReader(config, () => config.models),
    apply(definitions) {
      inForce = definitions.map(({ id }) => id);
    },
    problems: () => (inForce.includes("odd") ? [{ id: "odd", problem: "why" }] : []),
    intervalMs: 3_600_000,
  });
  return { routes, warnings, inForce: () => inForce };
}

test("a change is in force when its promise resolves", async () => {
  const { routes, inForce } = await open(createMemoryRouteStore());
  const entry = await routes.put("a", { alias: "fixed" }, tester);
  expect(entry).toEqual({
    definition: { kind: "alias", id: "a", leadsTo: "fixed" },
    source: "storage",
    line: null,
    updatedAt: 5_000,
    problem: null,
  });
  expect(inForce()).toEqual(["a"]);
  expect(await routes.put("odd", { alias: "a" }, tester)).toMatchObject({ problem: "why" });
  expect(routes.list().map(({ definition, source, problem }) => [definition.id, source, problem])).toEqual([
    ["fixed", "config", null],
    ["a", "storage", null],
    ["odd", "storage", "why"],
  ]);
  await routes.remove("odd", tester);
  expect(inForce()).toEqual(["a"]);
  await routes.stop();
});

test("a failing storage is 503, and the routes in force stay", async () => {
  const inner = createMemoryRouteStore();
  let isDown = false;
  const list = () => (isDown ? Promise.reject(new Error("secret address")) : inner.list());
  const { routes, warnings, inForce } = await open({ ...inner, list });
  await routes.put("a", { alias: "fixed" }, tester);
  isDown = true;
  for (const change of [routes.put("b", { alias: "fixed" }, tester), routes.remove("a", tester)]) {
    const error: unknown = await change.then(
      () => null,
      (thrown: unknown) => thrown,
    );
    expect(error).toMatchObject({ status: 503, code: "storage_unavailable", retryAfterSeconds: 5 });
    expect(String(error)).not.toContain("secret");
  }
  expect(warnings).toEqual(["The stored routes cannot be changed.", "The stored routes cannot be changed."]);
  expect(inForce()).toEqual(["a"]);
  expect(routes.list()).toHaveLength(2);
  await routes.stop();
});
