/**
 * `npm run attacks`: makes every attack of `test/attacks`, then prints what each did: the longest time for which it held the
 * event loop, memory, and provider calls without a record, which must be 0. Exits with 1 if a bound is exceeded.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type AttackReport, attackTable } from "../test/attacks/attack-table.testkit.ts";

const folder = mkdtempSync(join(tmpdir(), "tollgate-attacks-"));
const file = join(folder, "reports.jsonl");
const paths = process.argv.slice(2);
const tests = Bun.spawn(
  [process.execPath, "test", "--timeout", "120000", ...(paths.length > 0 ? paths : ["test/attacks"])],
  {
    cwd: join(import.meta.dir, ".."),
    env: { ...process.env, ATTACKS_FILE: file },
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  },
);
const code = await tests.exited;
const lines = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
rmSync(folder, { recursive: true, force: true });
const reports = lines.map((line) => JSON.parse(line) as AttackReport);
const worst = reports.toSorted((a, b) => b.stall - a.stall);
console.log(attackTable(worst));
// Below 0 if the gateway answered, and recorded, without a provider.
const unrecorded = reports.reduce((sum, report) => sum + Math.max(0, report.unrecorded), 0);
const peak = Math.max(0, ...reports.map((report) => report.peak));
console.log(
  `${reports.length} attacks: worst stall ${worst[0]?.stall.toFixed(1) ?? "-"} ms, ` +
    `peak memory ${peak.toFixed(0)} MB, ${unrecorded} unrecorded calls`,
);
process.exit(code);
