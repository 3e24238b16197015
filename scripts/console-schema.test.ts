import { expect, test } from "bun:test";
import { consoleSchema } from "./console-schema.ts";

test("the console's types are those of the OpenAPI document", async () => {
  const kept = await Bun.file(new URL("../web/api/schema.ts", import.meta.url)).text();
  // If this fails, run scripts/bun.sh scripts/console-schema.ts.
  expect(kept).toBe(consoleSchema());
});
