import { expect, test } from "bun:test";
import { searchProviderNames } from "../../src/search/providers/registry.ts";
import { dialectNames } from "../../src/dialects/registry.ts";
import { dialects } from "../../web/pages/models/provider-form.ts";
import { searchProviders } from "../../web/pages/backends/providers.ts";

test("all search providers of the gateway can be chosen", () => {
  expect(searchProviders.toSorted()).toEqual(searchProviderNames.toSorted());
});

test("all dialects that the gateway speaks to providers can be chosen", () => {
  expect<readonly string[]>(dialects.toSorted()).toEqual(dialectNames.toSorted());
});
