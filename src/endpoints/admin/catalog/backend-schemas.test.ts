import { expect, test } from "bun:test";
import { splitNames } from "../../../config/file/fields.ts";
import { searchBackend } from "../../../config/file/schema.ts";
import { backendFields } from "../../../routing/stored-backends/backend-view.ts";
import { backendOf } from "../../../config/search-backends.ts";
import { backendChangeInput, backendObject, newBackendInput } from "./backend-schemas.ts";

/** The message for an unknown name is the list of those that are known. */
const known = splitNames(searchBackend.safeParse({ bogus: true }).error?.issues.at(-1)?.message ?? "");

test("the described fields of a backend are those of the configuration", () => {
  expect(known).toContain("provider");
  expect(new Set(Object.keys(newBackendInput.shape))).toEqual(new Set(known));
  expect(new Set(["id", ...Object.keys(backendChangeInput.shape)])).toEqual(new Set(known));
});

test("a backend is shown with all fields that are no credentials", () => {
  const shown = Object.keys(backendFields(backendOf({ id: "a", provider: "tavily" })));
  const hidden = ["id", "api_key", "api_keys", "headers"];
  expect(new Set(shown)).toEqual(new Set(known.filter((name) => !hidden.includes(name))));
  for (const name of shown) expect(Object.keys(backendObject.shape)).toContain(name);
});
