import { describe, expect, test } from "bun:test";
import { defaultConfig } from "../../config/defaults.ts";
import { routeReader } from "../../config/routes/route-reader.ts";
import { type ChangeTools, isAmong, putRoute, removeRoute } from "./change-routes.ts";
import type { RouteDefinition } from "../names/route.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { createMemoryRouteStore } from "./route-store.testkit.ts";
import type { RouteStore } from "./route-store.ts";

const configured: readonly RouteDefinition[] = [{ kind: "alias", id: "fixed", leadsTo: "sandbox-chat" }];

function toolsFor(store: RouteStore = createMemoryRouteStore()): ChangeTools {
  const config = { ...defaultConfig(), routes: configured };
  return {
    store,
    clock: { now: () => 5_000 },
    read: routeReader(config, () => config.models),
    isModel: isAmong(config.models),
    isConfigured: isAmong(configured),
    by: tester,
  };
}

async function failure(work: Promise<unknown>) {
  const error = await work.then(
    () => null,
    (thrown: unknown) => thrown,
  );
  return error as { status: number; code: string; param: string | null; message: string };
}

describe("putRoute", () => {
  test("adds and replaces a route, with the time", async () => {
    const tools = toolsFor();
    expect(await putRoute(tools, "a/b", { alias: "fixed" })).toEqual({
      definition: { kind: "alias", id: "a/b", leadsTo: "fixed" },
      updatedAt: 5_000,
    });
    await putRoute(tools, "a/b", { id: "a/b", targets: ["sandbox-chat"] });
    expect(await tools.store.list()).toMatchObject([{ definition: { kind: "policy", id: "a/b" } }]);
  });

  test.each([
    [{ alias: "nowhere" }, "alias", "found an unknown name"],
    [{ alias: "a", strategy: "weighted" }, "strategy", "in an alias"],
    [{ targets: [{ model: "sandbox-chat", weight: 0 }] }, "targets[0].weight", "found 0; allowed: a whole number"],
    [{}, null, "the route: found neither 'alias' nor 'targets'"],
    [{ id: "b", alias: "fixed" }, "id", "the name of the route"],
    ["fixed", null, "the route: found"],
    [{ alias: "a" }, "alias", "a circular reference: a -> a"],
  ])("%j is a 400 that names the field", async (value, param, text) => {
    const error = await failure(putRoute(toolsFor(), "a", value));
    expect(error).toMatchObject({ status: 400, param });
    expect(error.message).toContain(text);
  });

  test("a message stays short if there are many problems", async () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`unknown${index}`, 1]));
    expect((await failure(putRoute(toolsFor(), "a", value))).message.length).toBeLessThan(2_000);
  });

  test("a name of the configuration, and a change that breaks another route, is 409", async () => {
    const tools = toolsFor();
    expect(await failure(putRoute(tools, "fixed", { alias: "sandbox-chat" }))).toMatchObject({
      status: 409,
      code: "route_in_configuration",
    });
    await putRoute(tools, "a", { alias: "sandbox-chat" });
    await putRoute(tools, "p", { targets: ["a", "sandbox-reasoning"] });
    const error = await failure(putRoute(tools, "a", { alias: "sandbox-reasoning" }));
    expect(error).toMatchObject({ status: 409, code: "route_in_use" });
    expect(error.message).toContain("The route 'p' would become invalid: targets[1]: found");
  });

  test("the second of two concurrent changes that form a circle together is refused", async () => {
    const store = createMemoryRouteStore();
    const tools = toolsFor(store);
    for (const id of ["a", "b"]) await putRoute(tools, id, { alias: "sandbox-chat" });
    let isFirst = true;
    const list = async () => {
      const stored = await store.list();
      if (isFirst) await putRoute(tools, "a", { alias: "b" });
      isFirst = false;
      return stored;
    };
    expect(await failure(putRoute(toolsFor({ ...store, list }), "b", { alias: "a" }))).toMatchObject({
      status: 400,
      param: "alias",
    });
    expect((await store.list()).map(({ definition }) => definition)).toEqual([
      { kind: "alias", id: "a", leadsTo: "b" },
      { kind: "alias", id: "b", leadsTo: "sandbox-chat" },
    ]);
  });

  test("a change gives up after repeated conflicts", async () => {
    const store = createMemoryRouteStore();
    let asked = 0;
    const changing = { ...store, version: async () => --asked };
    expect(await failure(putRoute(toolsFor(changing), "a", { alias: "fixed" }))).toMatchObject({
      status: 409,
      code: "conflicting_change",
    });
    expect(asked).toBeGreaterThanOrEqual(-20);
  });
});

describe("removeRoute", () => {
  test("an unknown route is 404, and a configured one is 409", async () => {
    const tools = toolsFor();
    expect(await failure(removeRoute(tools, "a"))).toMatchObject({ status: 404, code: "route_not_found" });
    expect(await failure(removeRoute(tools, "fixed"))).toMatchObject({ status: 409, code: "route_in_configuration" });
  });

  test("a route that others refer to is not removed", async () => {
    const tools = toolsFor();
    await putRoute(tools, "a", { alias: "sandbox-chat" });
    await putRoute(tools, "b", { alias: "a" });
    await putRoute(tools, "p", { targets: ["a"] });
    const error = await failure(removeRoute(tools, "a"));
    expect(error).toMatchObject({ status: 409, code: "route_in_use" });
    expect(error.message).toContain("'b', 'p'");
    await removeRoute(tools, "b");
    await removeRoute(tools, "p");
    await removeRoute(tools, "a");
    expect(await tools.store.list()).toEqual([]);
  });

  test("a stored route hidden by a configured name can be removed", async () => {
    const tools = toolsFor();
    for (const [id, leadsTo] of [
      ["fixed", "sandbox-reasoning"],
      ["sandbox-chat", "fixed"],
      ["b", "fixed"],
    ] as const) {
      await tools.store.put(
        { definition: { kind: "alias", id, leadsTo }, updatedAt: 1 },
        await tools.store.version(),
        tester,
      );
    }
    await removeRoute(tools, "fixed");
    await removeRoute(tools, "sandbox-chat");
    expect((await tools.store.list()).map(({ definition }) => definition.id)).toEqual(["b"]);
  });
});
