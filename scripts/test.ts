/**
 * Runs all checks: types, lint, format, import rules, unused code, and all tests on SQLite and on a real Postgres.
 * A file with a failed test is run once more, alone: many tests measure time or memory, which other work on the machine
 * disturbs. What passes only then is listed before the last line, as is each failure that stayed.
 * The last line is `N passed, N failed`; exits with 1 if anything failed.
 * `npm test -- PATH...` runs only the tests under those paths, without the checks.
 */
import { startPostgres } from "./postgres.ts";
import { countTests, failures, type Failure, type Tally } from "./test-output.ts";

const root = `${import.meta.dir}/..`;
const tool = (name: string) => `${root}/node_modules/.bin/${name}`;

type Check = readonly [name: string, command: readonly string[]];
/** The checks, in two queues that run at once. */
const checks: readonly (readonly Check[])[] = [
  [["lint", [tool("oxlint"), "--type-aware", "--deny-warnings"]]],
  [
    ["types", [tool("tsc"), "--noEmit"]],
    ["types of the console", [tool("tsc"), "--noEmit", "--project", "web"]],
    ["format", [tool("oxfmt"), "--check", "."]],
    ["import rules", [tool("depcruise"), "--config", ".dependency-cruiser.cjs", "src", "test"]],
    ["unused code", [tool("knip")]],
  ],
];

/** Tests that mostly wait: for processes to be killed and started, and for what they left to run out. */
const waiting = ["test/money", "test/storage", "test/videos/crash.test.ts", "bench"];
/** Tests that mostly wait: for a browser. */
const browsing = ["test/console-browser"];
/** Tests that measure time or memory, which other tests would disturb. */
const measuring = ["test/attacks"];
const ignored = [...waiting, ...browsing, ...measuring].flatMap((path) => [
  "--path-ignore-patterns",
  path.endsWith(".test.ts") ? path : `${path}/**`,
]);
const others = [...ignored, "src", "./web", "test", "soak", "scripts", "./clients"];

/** More files than this do not fail for the noise of a machine. */
const maxRepeatedFiles = 12;

const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
const paths = process.argv.slice(2);
const failedChecks: string[] = [];
if (paths.length === 0) await Promise.all(checks.map(runChecks));

let failed: Failure[] = [];

const postgres = await startPostgres();
try {
  const runs = paths.length > 0 ? [await runTests(paths)] : await runAll();
  for (const run of runs) add(run.tally);
  failed = runs.flatMap(({ output }) => failures(output));
  const files = [...new Set(failed.map(({ file }) => file))];
  if (files.length > 0 && files.length <= maxRepeatedFiles) {
    console.log(`\nRunning again: ${files.join(", ")}`);
    const second = await runTests(files.map(asPath));
    const mended =
      second.tally.passed === 0 ? 0 : Math.max(0, tally.failed - failedChecks.length - second.tally.failed);
    tally.passed += mended;
    tally.failed -= mended;
    if (mended > 0) console.log(`\n${mended} passed only when run again, in ${files.join(", ")}`);
    failed = failures(second.output);
  }
} finally {
  await postgres.stop();
}

// The end of a long log is read first.
if (failedChecks.length > 0) console.log(`\nFailed checks: ${failedChecks.join(", ")}`);
if (failed.length > 0) console.log(`\nFailed:\n\n${failed.map(({ file, text }) => `${file}\n${text}`).join("\n\n")}`);
const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : "";
console.log(`\n${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exit(tally.failed > 0 ? 1 : 0);

async function runChecks(queue: readonly Check[]): Promise<void> {
  for (const [name, command] of queue) {
    const { code, output } = await run(command);
    console.log(`${code === 0 ? "ok  " : "FAIL"} ${name}`);
    if (code !== 0) {
      console.log(output);
      failedChecks.push(name);
    }
    tally[code === 0 ? "passed" : "failed"]++;
  }
}

interface TestRun {
  readonly tally: Tally;
  readonly output: string;
}

/** Runs all tests: those that wait beside those that do not, then those that measure. */
async function runAll(): Promise<TestRun[]> {
  const besides = [waiting, browsing].map((group) => runTests(group.map(asPath), false));
  const otherRun = await runTests(others);
  const besideRuns = await Promise.all(besides);
  for (const { output } of besideRuns) console.log(output);
  return [...besideRuns, otherRun, await runTests(measuring.map(asPath))];
}

/** A target for the runner that is a path; without the dot it would be any part of one. */
function asPath(path: string): string {
  return `./${path}`;
}

async function runTests(targets: readonly string[], show = true): Promise<TestRun> {
  const command = [process.execPath, "test", "--timeout", "60000", ...targets];
  const { code, output } = await run(command, { DATABASE_URL: postgres.url }, show);
  const counted = countTests(output);
  // A runner without a summary has failed.
  return { tally: code !== 0 && counted.failed === 0 ? { ...counted, failed: 1 } : counted, output };
}

function add({ passed, failed, skipped }: Tally): void {
  tally.passed += passed;
  tally.failed += failed;
  tally.skipped += skipped;
}

/** Runs a command in the project's directory. With `show`, its output is also printed immediately. */
async function run(command: readonly string[], environment: Readonly<Record<string, string>> = {}, show = false) {
  const child = Bun.spawn([...command], {
    cwd: root,
    env: { ...process.env, ...environment },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const read = async (stream: ReadableStream<Uint8Array>) => {
    let text = "";
    const decoder = new TextDecoder();
    for await (const bytes of stream) {
      const piece = decoder.decode(bytes, { stream: true });
      text += piece;
      if (show) process.stdout.write(piece);
    }
    return text;
  };
  const [out, error, code] = await Promise.all([read(child.stdout), read(child.stderr), child.exited]);
  return { code, output: out + error };
}
