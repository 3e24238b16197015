import { expect, test } from "bun:test";
import * as fc from "fast-check";
import { faultClasses, strategyNames } from "../names/route.ts";
import { readRoute } from "../../config/routes/read-route.ts";
import { routeFields, routeView } from "./route-view.ts";
import type { RouteDefinition } from "../names/route.ts";

const models = ["m", "n", "vendor/large"];
const faults = fc.uniqueArray(fc.constantFrom(...faultClasses));
const policy = fc.record({
  kind: fc.constant("policy" as const),
  id: fc.constantFrom("p", "team/p"),
  strategy: fc.constantFrom(...strategyNames),
  members: fc.uniqueArray(fc.record({ model: fc.constantFrom(...models), weight: fc.integer({ min: 1, max: 9 }) }), {
    minLength: 1,
    selector: ({ model }) => model,
  }),
  requires: fc.uniqueArray(fc.constantFrom("tools", "vision")),
  retry: fc.record({
    attempts: fc.option(fc.integer({ min: 1, max: 100 })),
    budgetMs: fc.nat({ max: 90_000 }),
    on: faults,
  }),
  fallbackOn: faults,
  hedgeAfterMs: fc.option(fc.integer({ min: 1, max: 90_000 })),
});
const alias = fc.record({
  kind: fc.constant("alias" as const),
  id: fc.constantFrom("a", "team/a"),
  leadsTo: fc.constantFrom(...models),
});

test("the view of a route can be stored again and gives the same route", () => {
  const known = { models: models.map((id) => ({ id })), auto: false, routes: [], stored: [] };
  fc.assert(
    fc.property(fc.oneof(policy, alias), (route: RouteDefinition) => {
      const shown: unknown = JSON.parse(JSON.stringify({ id: route.id, ...routeFields(route) }));
      expect(readRoute(shown, known)).toEqual({ route, breaks: [] });
    }),
  );
});

test("times are in Unix seconds, and a problem is included if there is one", () => {
  const definition: RouteDefinition = { kind: "alias", id: "a", leadsTo: "m" };
  const entry = { definition, source: "storage", line: null, updatedAt: 1_800_000_000_999, problem: null } as const;
  const view = { id: "a", source: "storage", line: null, alias: "m", updated_at: 1_800_000_000 } as const;
  expect(routeView(entry)).toEqual(view);
  expect(routeView({ ...entry, problem: "why" })).toEqual({ ...view, problem: "why" });
});
