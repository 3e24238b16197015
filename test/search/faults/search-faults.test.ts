import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { searchProviderNames } from "../../../src/search/providers/registry.ts";
import type { TestGateway } from "../../gateway.testkit.ts";
import { expectedOf } from "./expected.testkit.ts";
import { searchCells, searchFaults } from "./faults.testkit.ts";
import { observe, type SearchObservation, startFaultyGateway } from "./observe.testkit.ts";
import { searchFaultsPage } from "./page.testkit.ts";

/** Every fault of every provider, as its vendor in the sandbox words it. `UPDATE_DOCS=1` writes docs/search-faults.md. */

const page = new URL("../../../docs/search-faults.md", import.meta.url);
const atOnce = 8;

let gateway: TestGateway;
const observed = new Map(searchCells.map((cell) => [cell, Promise.withResolvers<SearchObservation>()]));

beforeAll(async () => {
  gateway = await startFaultyGateway();
  const waiting = observed.entries();
  const work = async () => {
    for (const [cell, { promise, resolve, reject }] of waiting) {
      await observe(gateway, cell).then(resolve, reject);
      // Its own test reports it.
      promise.catch(() => undefined);
    }
  };
  for (let worker = 0; worker < atOnce; worker++) void work();
});
afterAll(() => gateway.stop());

describe.each(searchFaults.map(({ name }) => [name]))("%s", (name) => {
  const cells = searchCells.filter(({ fault }) => fault.name === name);
  test.each(cells.map((cell) => [cell.provider, cell] as const))("%s", async (_, cell) => {
    expect(await observed.get(cell)?.promise).toMatchObject(expectedOf(cell));
  });
});

test("every provider has every fault, but for those that cannot happen", () => {
  const missing = searchProviderNames.length * searchFaults.length - searchCells.length;
  // SearXNG has no quota, and no other has engines.
  expect(missing).toBe(1 + (searchProviderNames.length - 1));
});

test("docs/search-faults.md matches the observations", async () => {
  const seen = await Promise.all([...observed].map(async ([cell, { promise }]) => ({ cell, seen: await promise })));
  const text = searchFaultsPage(seen);
  if (process.env["UPDATE_DOCS"] === "1") await Bun.write(page, text);
  expect(await Bun.file(page).text()).toBe(text);
});
