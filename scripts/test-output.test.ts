import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { countTests, failures } from "./test-output.ts";

/** What `bun test` prints for files of one line each. */
async function outputOf(files: Readonly<Record<string, string>>): Promise<string> {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-test-output-"));
  try {
    for (const [name, text] of Object.entries(files)) {
      writeFileSync(join(folder, name), `import { test } from "bun:test";\n${text}\n`);
    }
    const child = Bun.spawn([process.execPath, "test"], { cwd: folder, stdout: "pipe", stderr: "pipe" });
    const [out, error] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text()]);
    await child.exited;
    return out + error;
  } finally {
    rmSync(folder, { recursive: true });
  }
}

describe("the output of bun test", () => {
  test("tells which files failed, and how many tests", async () => {
    const output = await outputOf({
      "good.test.ts": 'test("a", () => {}); test.skip("b", () => {});',
      "bad.test.ts": 'test("c", () => { throw new Error("no"); }); test("d", () => {});',
      "later.test.ts": 'test("e", () => {});',
    });
    const [failure, ...others] = failures(output);
    expect(others).toEqual([]);
    expect(failure?.file).toBe("bad.test.ts");
    expect(failure?.text).toContain("error: no");
    expect(failure?.text).toMatch(/\(fail\) c( \[\S+\])?$/);
    expect(countTests(output)).toEqual({ passed: 3, failed: 1, skipped: 1 });
  });

  test("tells which file could not be loaded", async () => {
    const output = await outputOf({
      "good.test.ts": 'test("a", () => {});',
      "broken.test.ts": 'throw new Error("no");',
    });
    const found = failures(output);
    expect(found.map(({ file }) => file)).toEqual(["broken.test.ts"]);
    expect(found[0]?.text).toContain("error: no");
    expect(countTests(output).failed).toBe(1);
  });

  test("names no file if all passed", async () => {
    expect(failures(await outputOf({ "good.test.ts": 'test("a", () => {});' }))).toEqual([]);
  });
});
