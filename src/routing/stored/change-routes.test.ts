import { describe, expect, test } from "bun:test";
import { defaultConfig } from "../../config/defaults.ts";
import { routeReader } from "../../config/route-reader.ts";
import { type ChangeTools, isAmong, putRoute, removeRoute } from "./change-routes.ts";
import type { RouteDefinition } from "../names/route.ts";
import { createMemoryRouteStore } from "./route-store.example.ts";
import type { RouteStore } from "./route-store.ts";

const configured: readonly RouteDefinition[] = [{ kind: "alias", id: "fixed", leadsTo: "sandbox-chat" }];

function toolsFor(store: RouteStore = createMemoryRouteStore()): ChangeTools {
  const config = { ...defaultConfig(), routes: configured };
  return {
    store,
    clock: { now: () => 5_000 },
    read: routeReader(config),
    isModel: isAmong(config.models),
    isConfigured: isAmong(configured),
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
  test("adds, replaces, and tells when", async () => {
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
    [{ id: "b", alias: "fixed" }, "id", "the route's own name"],
    ["fixed", null, "the route: found"],
    [{ alias: "a" }, "alias", "a circle: a -> a"],
  ])("%j is 400 naming the field", async (value, param, said) => {
    const error = await failure(putRoute(toolsFor(), "a", value));
    expect(error).toMatchObject({ status: 400, param });
    expect(error.message).toContain(said);
  });

  test("a message stays short where much is wrong", async () => {
    const value = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`unknown${index}`, 1]));
    expect((await failure(putRoute(toolsFor(), "a", value))).message.length).toBeLessThan(2_000);
  });

  test("what the configuration owns, and what another route needs, is 409", async () => {
    const tools = toolsFor();
    expect(await failure(putRoute(tools, "fixed", { alias: "sandbox-chat" }))).toMatchObject({
      status: 409,
      code: "route_in_configuration",
    });
    await putRoute(tools, "a", { alias: "sandbox-chat" });
    await putRoute(tools, "p", { targets: ["a", "sandbox-reasoning"] });
    const error = await failure(putRoute(tools, "a", { alias: "sandbox-reasoning" }));
    expect(error).toMatchObject({ status: 409, code: "route_in_use" });
    expect(error.message).toContain("The route 'p' would no longer make sense: targets[1]: found");
  });

  test("of two changes at once that would be a circle together, the second is refused", async () => {
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

  test("a change that never finds peace gives up", async () => {
    const store = createMemoryRouteStore();
    let asked = 0;
    const restless = { ...store, version: async () => --asked };
    expect(await failure(putRoute(toolsFor(restless), "a", { alias: "fixed" }))).toMatchObject({
      status: 409,
      code: "conflicting_change",
    });
    expect(asked).toBeGreaterThanOrEqual(-20);
  });
});

describe("removeRoute", () => {
  test("what is not there is 404, and what the configuration has is 409", async () => {
    const tools = toolsFor();
    expect(await failure(removeRoute(tools, "a"))).toMatchObject({ status: 404, code: "route_not_found" });
    expect(await failure(removeRoute(tools, "fixed"))).toMatchObject({ status: 409, code: "route_in_configuration" });
  });

  test("what others lead to stays until they do no longer", async () => {
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

  test("a stored route whose name the configuration has taken is in no one's way", async () => {
    const tools = toolsFor();
    for (const [id, leadsTo] of [
      ["fixed", "sandbox-reasoning"],
      ["sandbox-chat", "fixed"],
      ["b", "fixed"],
    ] as const) {
      await tools.store.put({ definition: { kind: "alias", id, leadsTo }, updatedAt: 1 }, await tools.store.version());
    }
    await removeRoute(tools, "fixed");
    await removeRoute(tools, "sandbox-chat");
    expect((await tools.store.list()).map(({ definition }) => definition.id)).toEqual(["b"]);
  });
});
