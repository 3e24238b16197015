import { describe, expect, test } from "bun:test";
import { autoPolicy, defaultRetry } from "../../config/defaults.ts";
import { exampleModel, exampleProvider, simulatedClock } from "../choice/candidate.testkit.ts";
import { createCatalog } from "./catalog.ts";
import { createHealth } from "../health/health.ts";
import { createNames, type NamesOptions } from "./names.ts";
import type { PolicyDefinition, RouteDefinition } from "./route.ts";

const nothing = () => {};
const log = { debug: nothing, info: nothing, warn: nothing, error: nothing, request: nothing, flush: async () => {} };
const health = createHealth({ clock: simulatedClock(), log });
const provider = exampleProvider();

const catalog = createCatalog(
  ["mini", "large", "vendor/*"].map((id) => {
    const target = {
      provider,
      model: id.replace("vendor/", ""),
      weight: 1,
      pricedAs: id,
      health: health.of(provider, id),
    };
    return exampleModel({ id, targets: [target] });
  }),
  health,
);

const alias = (id: string, leadsTo: string): RouteDefinition => ({ kind: "alias", id, leadsTo });

function policy(id: string, models: readonly string[], fields: Partial<PolicyDefinition> = {}): PolicyDefinition {
  const members = models.map((model, place) => ({ model, weight: place + 1 }));
  const { requires, fallbackOn, hedgeAfterMs } = autoPolicy;
  return {
    kind: "policy",
    id,
    strategy: "weighted",
    members,
    requires,
    retry: defaultRetry,
    fallbackOn,
    hedgeAfterMs,
    ...fields,
  };
}

function namesOf(routes: readonly RouteDefinition[], auto: NamesOptions["auto"] = null) {
  return createNames({ catalog, routes, auto });
}

const problemsOf = (stored: readonly RouteDefinition[], configured: readonly RouteDefinition[] = []) => {
  const names = namesOf(configured, autoPolicy);
  names.setStored(stored);
  return names.problems;
};

describe("a name", () => {
  test("of a model resolves to that model", () => {
    expect(namesOf([]).find("mini")).toMatchObject({ id: "mini", strategyName: "direct", isPolicy: false, names: [] });
    expect(namesOf([]).find("nothing")).toBeNull();
    expect(namesOf([]).find("constructor")).toBeNull();
  });

  test("that matches a pattern resolves to the same destination each time", () => {
    const names = namesOf([]);
    const found = names.find("vendor/gpt");
    expect(found?.members[0]?.model).toMatchObject({ id: "vendor/gpt", pricedAs: "vendor/*" });
    expect(names.find("vendor/gpt")).toBe(found);
  });

  test("of a route takes precedence over a matching pattern", () => {
    const names = namesOf([alias("vendor/fast", "mini")]);
    expect(names.find("vendor/fast")?.members[0]?.model.id).toBe("mini");
  });
});

describe("an alias", () => {
  test("of an alias resolves through it and records all names on the way", () => {
    const names = namesOf([alias("a", "b"), alias("b", "mini"), alias("c", "vendor/x")]);
    expect(names.find("a")).toMatchObject({ id: "mini", strategyName: "alias", names: ["b", "a"] });
    expect(names.find("c")?.members[0]?.model.id).toBe("vendor/x");
    const [model] = catalog.models;
    expect(model && names.aliasesOf(model).toSorted()).toEqual(["a", "b"]);
  });

  test("of a policy is that policy, with its strategy and the same rotation", () => {
    const names = namesOf([policy("p", ["mini", "large"], { strategy: "round_robin" }), alias("a", "p")]);
    expect(names.find("a")).toMatchObject({ id: "p", isPolicy: true, strategyName: "round_robin", names: ["p", "a"] });
    expect(names.find("a")?.rotation).toBe(names.find("p")?.rotation as never);
  });
});

describe("a policy", () => {
  test("contains models by name, alias or pattern, with their weights", () => {
    const names = namesOf([policy("p", ["large", "a", "vendor/x"]), alias("a", "mini")]);
    const members = names.find("p")?.members.map(({ model, weight }) => [model.id, weight]);
    expect(members).toEqual([
      ["large", 1],
      ["mini", 2],
      ["vendor/x", 3],
    ]);
  });

  test("called auto holds every model of the catalog, and asks for what a request uses", () => {
    const auto = namesOf([alias("best", "auto")], autoPolicy).find("best");
    expect(auto).toMatchObject({ id: "auto", isStrict: true, strategyName: "lowest_cost", names: ["auto", "best"] });
    expect(auto?.members.map(({ model }) => model.id)).toEqual(["mini", "large"]);
    expect(namesOf([]).find("auto")).toBeNull();
  });

  test.each<[string, RouteDefinition[], string]>([
    ["nowhere", [policy("p", ["gone"])], "'gone' does not exist"],
    ["to another policy", [policy("q", ["mini", "large"]), policy("p", ["q"])], "a policy can contain only models"],
    ["to another policy of one model", [policy("q", ["mini"]), policy("p", ["q"])], "a policy can contain only models"],
    ["back to itself", [alias("a", "p"), policy("p", ["a"])], "it refers to itself: p -> a -> p"],
  ])("of the configuration that refers %s prevents the start", (_title, routes, problem) => {
    expect(() => namesOf(routes.toReversed())).toThrow(problem);
  });
});

describe("stored routes", () => {
  test("replace the earlier stored routes and leave those of the configuration", () => {
    const names = namesOf([alias("fixed", "mini")]);
    names.setStored([alias("a", "fixed"), policy("p", ["a"])]);
    expect(names.problems).toEqual([]);
    expect(names.find("a")).toMatchObject({ id: "mini", names: ["fixed", "a"] });
    expect([...names.routes.keys()].toSorted()).toEqual(["a", "fixed", "p"]);
    names.setStored([alias("b", "large")]);
    expect(names.problems).toEqual([]);
    expect(names.find("a")).toBeNull();
    expect(names.find("fixed")).not.toBeNull();
  });

  test("that cannot be resolved are left out, and the others are in force", () => {
    const names = namesOf([]);
    const stored = [
      alias("good", "mini"),
      alias("gone", "nothing"),
      alias("here", "there"),
      alias("there", "here"),
      policy("of-gone", ["mini", "gone"]),
    ];
    names.setStored(stored);
    const { problems } = names;
    expect(problems.map(({ id }) => id)).toEqual(["gone", "here", "there", "of-gone"]);
    expect(problems[1]?.problem).toBe("it refers to itself: here -> there -> here");
    expect(names.find("good")).not.toBeNull();
    for (const { id } of problems) expect(names.find(id)).toBeNull();
  });

  test.each(["mini", "fixed", "auto"])("cannot take the name %s", (id) => {
    const problems = problemsOf([alias(id, "large"), alias("other", "large")], [alias("fixed", "mini")]);
    expect(problems).toEqual([{ id, problem: `${id === "mini" ? "a model" : "the configuration"} uses this name` }]);
  });
});
