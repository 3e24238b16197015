import { expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Results } from "./results.ts";

/** Its figures mean nothing beside other tests; that every request has its record does. */
test.skipIf(process.platform !== "linux")(
  "a quick run measures every section and finds as many records as requests",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "tollgate-bench-test-"));
    const file = join(folder, "results.json");
    try {
      const command = [process.execPath, join(import.meta.dir, "run.ts"), "--quick", "--json", file];
      const bench = Bun.spawn(command, { stdout: "ignore", stderr: "pipe" });
      const [errors, code] = await Promise.all([new Response(bench.stderr).text(), bench.exited]);
      expect({ code, errors: code === 0 ? "" : errors }).toEqual({ code: 0, errors: "" });
      const results = JSON.parse(readFileSync(file, "utf8")) as Results;
      expect(results.records.drained).toEqual({ answered: 1020, records: 1020 });
      expect(results.records.equal).toBe(true);
      for (const measured of [
        results.json,
        results.streams,
        results.latency,
        results.memory,
        results.translation,
        results.routing,
        results.start,
      ]) {
        expect(measured).not.toBeNull();
      }
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  60_000,
);
