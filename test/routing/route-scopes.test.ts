import { afterAll, afterEach, beforeAll, expect, test } from "bun:test";
import { startTestGateway, type TestGateway } from "../gateway.testkit.ts";
import { alias, askedOf, errorOf, failing, modelOf, policy } from "./routing.testkit.ts";

/** The models that a key may use through a route: never more than its scope. */

let gateway: TestGateway;
beforeAll(async () => {
  gateway = await startTestGateway({
    models: [modelOf("one"), modelOf("two"), modelOf("team/three")],
    routes: [
      policy("both", ["one", "two"]),
      alias("fast", "one"),
      alias("mine", "both"),
      policy("mixed", ["one", "team/three"]),
    ],
    auto: true,
    sandbox: { models: { "one-up": {}, "two-up": {}, "team/three-up": {} } },
  });
});
afterAll(() => gateway.stop());
afterEach(() => {
  gateway.sandbox.reset();
  for (const name of ["one-up", "two-up"]) gateway.sandbox.setModel(name, {});
});

/** Sends a request with a key of this scope. */
async function askWith(models: readonly string[], model: string): Promise<Response> {
  const { key } = await gateway.newKey({ scopes: { models: [...models] } });
  return gateway.chat({ model }, { headers: { authorization: `Bearer ${key}` } });
}

test.each<[string[], string, string]>([
  [["two"], "both", "two-up"],
  [["one"], "fast", "one-up"],
  [["fast"], "fast", "one-up"],
  [["both"], "both", "one-up"],
  [["mine"], "mine", "one-up"],
  [["both"], "mine", "one-up"],
  [["team/*"], "mixed", "team/three-up"],
  [["*"], "both", "one-up"],
  // The models of the route may be used through it; further names in the scope narrow them.
  [["both", "two"], "both", "two-up"],
])("with a key for %p, %s is served by %s", async (scope, model, upstream) => {
  const response = await askWith(scope, model);
  expect(response.status).toBe(200);
  await response.json();
  expect(askedOf(gateway)).toEqual([upstream]);
});

test.each<[string[], string, string]>([
  [["both"], "one", "one"],
  [["fast"], "one", "one"],
  [["two"], "fast", "one"],
  [["mine"], "both", "both"],
  [["other"], "both", "both"],
  [["one"], "two", "two"],
])("with a key for %p, %s is a 403 that names %s", async (scope, model, named) => {
  const error = await errorOf(await askWith(scope, model));
  expect(error).toMatchObject({ status: 403, type: "permission_error", code: "model_not_allowed", param: "model" });
  expect(error.message).toContain(`'${named}'`);
  expect(askedOf(gateway)).toEqual([]);
});

test("if the only model that a key may use fails, no other is asked", async () => {
  gateway.sandbox.setModel("two-up", failing(500));
  const response = await askWith(["two"], "both");
  expect((await errorOf(response)).status).toBe(502);
  expect(new Set(askedOf(gateway))).toEqual(new Set(["two-up"]));
});

test("auto considers only models that the key may use", async () => {
  const response = await askWith(["team/*"], "auto");
  expect(response.status).toBe(200);
  await response.json();
  expect(askedOf(gateway)).toEqual(["team/three-up"]);
  expect((await errorOf(await askWith(["nothing"], "auto"))).code).toBe("model_not_allowed");
});
