import { expect, test } from "bun:test";
import { searchProvidersFile, searchProvidersPage } from "./search-providers.ts";

test("docs/search-providers.md matches the code (update it with scripts/bun.sh scripts/search-providers.ts)", async () => {
  expect(await Bun.file(searchProvidersFile).text()).toBe(searchProvidersPage());
});
