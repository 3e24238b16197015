/**
 * Runs all checks: types, lint, format, import rules, unused code, and all tests on SQLite and on a real Postgres.
 * The last line is `N passed, N failed`; exits with 1 if anything failed.
 * `npm test -- PATH...` runs only the tests under those paths, without the checks.
 */
import { startPostgres } from "./postgres.ts";

const root = `${import.meta.dir}/..`;
const tool = (name: string) => `${root}/node_modules/.bin/${name}`;

interface Tally {
  passed: number;
  failed: number;
  skipped: number;
}

const checks: readonly (readonly [name: string, command: readonly string[]])[] = [
  ["types", [tool("tsc"), "--noEmit"]],
  ["lint", [tool("oxlint"), "--type-aware", "--deny-warnings"]],
  ["format", [tool("oxfmt"), "--check", "."]],
  ["import rules", [tool("depcruise"), "--config", ".dependency-cruiser.cjs", "src", "test"]],
  ["unused code", [tool("knip")]],
];

const tally: Tally = { passed: 0, failed: 0, skipped: 0 };
const paths = process.argv.slice(2);
if (paths.length === 0) {
  for (const [name, command] of checks) {
    const { code, output } = await run(command);
    console.log(`${code === 0 ? "ok  " : "FAIL"} ${name}`);
    if (code !== 0) console.log(output);
    tally[code === 0 ? "passed" : "failed"]++;
  }
}

const postgres = await startPostgres();
try {
  const command = [
    process.execPath,
    "test",
    "--timeout",
    "60000",
    ...(paths.length > 0 ? paths : ["src", "test", "bench", "soak", "scripts", "./clients"]),
  ];
  const { code, output } = await run(command, { DATABASE_URL: postgres.url }, true);
  const counted = countTests(output);
  tally.passed += counted.passed;
  tally.failed += counted.failed;
  tally.skipped += counted.skipped;
  // A runner without a summary has failed.
  if (code !== 0 && counted.failed === 0) tally.failed++;
} finally {
  await postgres.stop();
}

const skipped = tally.skipped > 0 ? `, ${tally.skipped} skipped` : "";
console.log(`\n${tally.passed} passed, ${tally.failed} failed${skipped}`);
process.exit(tally.failed > 0 ? 1 : 0);

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

/** Parses the summary of `bun test`. */
function countTests(output: string): Tally {
  const count = (word: string) => Number(output.match(new RegExp(`^\\s*(\\d+) ${word}\\b`, "m"))?.[1] ?? 0);
  return { passed: count("pass"), failed: count("fail"), skipped: count("skip") };
}
