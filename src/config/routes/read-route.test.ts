import { describe, expect, test } from "bun:test";
import type { RouteDefinition } from "../../routing/names/route.ts";
import { type KnownNames, problemsOfStored, readRoute } from "./read-route.ts";

const alias = (id: string, leadsTo: string): RouteDefinition => ({ kind: "alias", id, leadsTo });

function policy(id: string, ...models: string[]): RouteDefinition {
  const members = models.map((model) => ({ model, weight: 1 }));
  const retry = { attempts: null, budgetMs: 1, on: [] };
  return { kind: "policy", id, strategy: "priority", members, requires: [], retry, fallbackOn: [], hedgeAfterMs: null };
}

function known(stored: readonly RouteDefinition[] = []): KnownNames {
  return {
    models: [{ id: "m" }, { id: "n" }, { id: "vendor/*" }],
    auto: true,
    routes: [alias("configured", "m")],
    stored,
  };
}

function problems(value: unknown, stored: readonly RouteDefinition[] = []) {
  const reading = readRoute(value, known(stored));
  return "problems" in reading ? reading.problems.map(({ path, found }) => `${path}: ${found}`) : [];
}

test("an alias and a policy are read with all defaults", () => {
  expect(readRoute({ id: "a", alias: "vendor/x", targets: null }, known())).toEqual({
    route: alias("a", "vendor/x"),
    breaks: [],
  });
  const value = { id: "p", targets: ["m", { model: "a", weight: 2 }], retry: { attempts: 3 }, hedge_after_ms: 1500 };
  expect(readRoute(value, known([alias("a", "n")]))).toMatchObject({
    route: {
      kind: "policy",
      strategy: "priority",
      members: [
        { model: "m", weight: 1 },
        { model: "a", weight: 2 },
      ],
      retry: { attempts: 3, budgetMs: 60_000 },
      hedgeAfterMs: 1500,
    },
  });
});

describe("problems are found in", () => {
  test.each<[unknown, string]>([
    [null, ": nothing"],
    [[], ": a list of 0 items"],
    [{ alias: "m" }, "id: nothing"],
    [{ id: "a" }, ": neither 'alias' nor 'targets'"],
    [{ id: "a", alias: 5 }, "alias: 5"],
    [{ id: "a", alias: "m", stratgy: "x" }, 'stratgy: an unknown name "stratgy" (did you mean "strategy"?)'],
    [{ id: "a", alias: "m", hedge_after_ms: 5 }, "hedge_after_ms: 'hedge_after_ms' in an alias"],
    [{ id: "p", targets: [{ model: "m", weight: 0 }] }, "targets[0].weight: 0"],
    [{ id: "p", targets: ["m"], retry: { on: ["bad luck"] } }, 'retry.on[0]: "bad luck"'],
    [{ id: "m", alias: "n" }, "id: the id of a model"],
    [{ id: "configured", alias: "n" }, "id: the id of a route of the configuration"],
    [{ id: "auto", alias: "n" }, "id: the id of the built-in policy"],
    [{ id: "a", alias: "mm" }, 'alias: an unknown name "mm" (did you mean "m"?)'],
    [{ id: "a", alias: "a" }, "alias: a circular reference: a -> a"],
    [
      { id: "p", targets: ["m", "configured"] },
      'targets[1]: "configured", which resolves to a duplicate of the model "m"',
    ],
    [{ id: "p", targets: ["m", "auto"] }, 'targets[1]: the policy "auto"'],
  ])("%j", (value, expected) => {
    expect(problems(value)).toContain(expected);
  });

  test("a circle through stored routes, from inside and outside", () => {
    const stored = [alias("a", "b"), alias("b", "c"), alias("c", "m")];
    expect(problems({ id: "c", alias: "a" }, stored)).toEqual(["alias: a circular reference: c -> a -> b -> c"]);
    const broken = [alias("a", "b"), alias("b", "a")];
    expect(problems({ id: "in", alias: "a" }, broken)).toEqual(["alias: a circular reference: in -> a -> b -> a"]);
    expect(problems({ id: "p", targets: ["b"] }, broken)).toEqual(["targets[0]: a circular reference: b -> a -> b"]);
  });

  test("an alias of an alias that cannot be resolved", () => {
    expect(problems({ id: "a", alias: "b" }, [alias("b", "gone")])).toEqual([
      'alias: "b", which resolves to an unknown name "gone"',
    ]);
  });
});

describe("a change would break", () => {
  test("a policy whose alias becomes a policy, or a model it has already", () => {
    const stored = [alias("a", "n"), policy("p", "m", "a")];
    expect(readRoute({ id: "a", targets: ["n"] }, known(stored))).toMatchObject({
      breaks: [{ id: "p", problem: 'targets[1]: found the policy "a"' }],
    });
    expect(readRoute({ id: "a", alias: "m" }, known(stored))).toMatchObject({
      breaks: [{ id: "p", problem: 'targets[1]: found "a", which resolves to a duplicate of the model "m"' }],
    });
    expect(readRoute({ id: "a", alias: "vendor/x" }, known(stored))).toMatchObject({ breaks: [] });
  });

  test("a chain that would become too long", () => {
    const stored = Array.from({ length: 32 }, (_, step) => alias(`a${step}`, step === 0 ? "m" : `a${step - 1}`));
    expect(problems({ id: "b", alias: "a31" }, stored)).toEqual(["alias: a chain of 33 aliases"]);
    expect(problems({ id: "b", alias: "a30" }, stored)).toEqual([]);
    expect(readRoute({ id: "a0", alias: "b" }, known([...stored, alias("b", "n")]))).toMatchObject({
      breaks: [{ id: "a31", problem: "alias: found a chain of 33 aliases" }],
    });
  });

  test("nothing that was broken before", () => {
    const stored = [alias("old", "gone"), policy("p", "a", "b"), alias("a", "m"), alias("b", "m")];
    expect(readRoute({ id: "new", alias: "m" }, known(stored))).toMatchObject({ breaks: [] });
    expect(readRoute({ id: "gone", alias: "m" }, known(stored))).toMatchObject({ breaks: [] });
  });
});

test("problemsOfStored returns the stored routes that cannot be in force", () => {
  const stored = [
    alias("a", "m"),
    alias("b", "gone"),
    alias("configured", "n"),
    alias("n", "m"),
    policy("p", "a", "b"),
  ];
  expect(Object.fromEntries(problemsOfStored(known(stored)))).toEqual({
    b: 'alias: found an unknown name "gone"',
    configured: "id: found the id of a route of the configuration",
    n: "id: found the id of a model",
    p: 'targets[1]: found "b", which resolves to an unknown name "gone"',
  });
});
