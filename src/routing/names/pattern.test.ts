import { describe, expect, test } from "bun:test";
import { exampleModel, exampleProvider, simulatedClock } from "../choice/candidate.testkit.ts";
import { createCatalog } from "./catalog.ts";
import { createHealth } from "../health/health.ts";
import type { Model } from "./model.ts";

const health = createHealth({ clock: simulatedClock(), log: silentLog() });
const provider = exampleProvider({ id: "vendor" });

function silentLog() {
  const nothing = () => {};
  return { debug: nothing, info: nothing, warn: nothing, error: nothing, request: nothing, flush: async () => {} };
}

function model(id: string, upstream: string): Model {
  const target = { provider, model: upstream, weight: 1, pricedAs: upstream, health: health.of(provider, upstream) };
  return exampleModel({ id, targets: [target] });
}

const catalog = createCatalog(
  [model("vendor/*", "*"), model("vendor/large/*", "big-*"), model("vendor/large/own", "exact"), model("plain", "p")],
  health,
);
const upstreamOf = (name: string) => catalog.find(name)?.targets[0]?.model ?? null;

describe("a pattern", () => {
  test("matches every name below it, each with its own health and the pattern's price", () => {
    const found = catalog.find("vendor/gpt-5");
    expect(found).toMatchObject({ id: "vendor/gpt-5", name: "vendor/gpt-5", pricedAs: "vendor/*" });
    expect(upstreamOf("vendor/gpt-5")).toBe("gpt-5");
    expect(found?.targets[0]?.health).toBe(health.ofDerived(provider, "gpt-5"));
    expect(catalog.find("vendor/gpt-5")).toBe(found);
  });

  test("yields to a longer pattern and to a model of that name", () => {
    expect(upstreamOf("vendor/large/x")).toBe("big-x");
    expect(upstreamOf("vendor/large/own")).toBe("exact");
    expect(upstreamOf("vendor/larger")).toBe("larger");
  });

  test("uses the rest of a name unchanged", () => {
    expect(upstreamOf("vendor/a/b:free")).toBe("a/b:free");
    expect(upstreamOf("vendor/$&")).toBe("$&");
  });

  test.each([
    "vendor/",
    "vendor",
    "other/x",
    "vendor/*",
    "vendor/large/*",
    "vendor/../files",
    "vendor/a/./b",
    "vendor/..",
  ])("does not match the name %s", (name) => {
    expect(catalog.find(name)).toBeNull();
  });

  test("is not listed as a model", () => {
    expect(catalog.models.map(({ id }) => id)).toEqual(["vendor/large/own", "plain"]);
  });
});

test("at most ten thousand derived models are kept, and the oldest are dropped first", () => {
  const first = catalog.find("vendor/first");
  for (let number = 0; number < 10_000; number++) catalog.find(`vendor/n${number}`);
  expect([...catalog.derived].length).toBe(10_000);
  const again = catalog.find("vendor/first");
  expect(again).not.toBe(first);
  expect(again?.targets[0]?.health).toBe(first?.targets[0]?.health as never);
});
