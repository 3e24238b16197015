import { expect, test } from "bun:test";
import { errorCatalogue } from "../src/error-catalogue.ts";
import { errorNames, errorsFile, errorsPage } from "./errors-page.ts";
import { productSource } from "./product-source.ts";

const source = await productSource({ except: ["error-catalogue.ts", "error-catalogue"] });
/** Long strings are written as sums of short ones. */
const joined = source.replaceAll(/[`"] \+\s+[`"]/g, "");

test("docs/errors.md matches the code (update it with scripts/bun.sh scripts/errors-page.ts)", async () => {
  expect(await Bun.file(errorsFile).text()).toBe(errorsPage());
});

test.each(errorNames)("%s occurs in the code, with the message of the page", (name) => {
  expect(source).toContain(`"${name}"`);
  for (const words of errorCatalogue[name].message.split("{}")) expect(joined).toContain(words);
});
