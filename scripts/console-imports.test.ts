import { expect, test } from "bun:test";
import { join } from "node:path";

const root = join(import.meta.dir, "..");

test("the console imports nothing of the gateway but types", async () => {
  const found: string[] = [];
  let files = 0;
  for await (const path of new Bun.Glob("web/**/*.{ts,tsx}").scan(root)) {
    // Tests are not in the browser.
    if (path.includes(".test.")) continue;
    files++;
    const source = await Bun.file(join(root, path)).text();
    for (const [statement] of source.matchAll(/^(import|export)\b[^;]*from "[^"]*\/(src|test|scripts)\/[^"]*"/gm)) {
      if (!statement.startsWith("import type")) found.push(`${path}: ${statement}`);
    }
  }
  expect(files).toBeGreaterThan(50);
  expect(found).toEqual([]);
});
