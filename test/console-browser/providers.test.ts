import { expect, test } from "bun:test";
import { searchProviderNames } from "../../src/search/providers/registry.ts";
import { searchProviders } from "../../web/pages/backends/providers.ts";

test("all search providers of the gateway can be chosen", () => {
  expect(searchProviders.toSorted()).toEqual(searchProviderNames.toSorted());
});
