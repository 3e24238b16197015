/** The soak test: `npm run soak`. See README.md. */
import { cleanUp, cleanUpOnSignals, isInterrupted } from "../bench/processes.ts";
import { figure, formatTable } from "../bench/table.ts";
import { lookAfter } from "./aftermath.ts";
import { callAll } from "./callers.ts";
import { judgeCoverage } from "./judge-coverage.ts";
import { judgeProcess } from "./judge-process.ts";
import { judgeRecords } from "./judge-records.ts";
import { readLog, readRecords } from "./evidence.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { createRandom } from "./random.ts";
import { help, type Options, parseOptions } from "./options.ts";
import { startAll, type Setup } from "./setup.ts";
import { openFiles, type Sample, watch } from "./watch.ts";
import { changeFaults } from "./faults.ts";

/** Runs the soak. Returns the exit code: 1 if a check failed. */
async function soak(options: Options): Promise<number> {
  const setup = await startAll(options);
  const { pid } = setup.gateway;
  const ledger = openLedger();
  const filesBefore = openFiles(pid);
  print(`${options.callers} callers for ${options.seconds} s, seed ${options.seed} ...`);
  const samples = await load(setup, ledger, options);
  const rate = ledger.observations.length / options.seconds;
  print(`${figure(ledger.observations.length)} answers, ${figure(rate)} per second; inspecting ...`);
  const after = await lookAfter(setup, ledger);

  const records = readRecords(setup.databaseFile);
  const log = await readLog(setup.logFile);
  console.log(answerTable(ledger));
  const findings = [
    judgeCoverage(ledger, records, log),
    ...judgeRecords({ ledger, records, log, keyIds: setup.keyIds }),
    ...judgeProcess(filesBefore, samples, after, log, ledger),
  ];
  for (const { name, text, ok } of findings) console.log(`${verdict(ok)}  ${name}: ${text}`);
  const failed = findings.filter(({ ok }) => ok === false).length;
  console.log(`\n${findings.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** Runs the load with changing faults, and samples the gateway. Throws if the gateway exits. */
async function load(setup: Setup, ledger: Ledger, { seconds, seed, callers }: Options): Promise<Sample[]> {
  const { gateway, gatewayUrl, keys, upstreamUrl } = setup;
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= end || gateway.exitCode !== null;
  const [samples] = await Promise.all([
    watch(gateway.pid, isOver),
    changeFaults(upstreamUrl, createRandom(seed), isOver),
    callAll({ gatewayUrl, keys, ledger, callers, isOver }, (caller) => createRandom(seed * 10_007 + caller)),
  ]);
  if (gateway.exitCode !== null) throw new Error(`the gateway ended with ${gateway.exitCode}: see ${setup.logFile}`);
  return samples;
}

function answerTable({ observations }: Ledger): string {
  const counts = new Map<string, Map<string, number>>();
  const names = [...new Set(observations.map(({ keyName }) => keyName))].toSorted();
  for (const { status, code, ending, isReplay, keyName } of observations) {
    const what = isReplay ? "200 replayed" : status === 200 ? `200 ${ending}` : `${status} ${code ?? ""}`;
    const row = counts.get(what) ?? new Map<string, number>();
    row.set(keyName, (row.get(keyName) ?? 0) + 1);
    counts.set(what, row);
  }
  const rows = [...counts].toSorted(([a], [b]) => a.localeCompare(b));
  const cells = rows.map(([what, row]) => [what, ...names.map((name) => figure(row.get(name)))]);
  return `\n${formatTable("Answers by key", ["", ...names], cells)}`;
}

function verdict(ok: boolean | null): string {
  if (ok === null) return "-   ";
  return ok ? "ok  " : "FAIL";
}

function print(message: string): void {
  console.error(message);
}

async function main(): Promise<number> {
  cleanUpOnSignals();
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options !== null) return await soak(options);
    console.log(help);
    return 0;
  } catch (error) {
    if (isInterrupted()) return 130;
    console.error(`soak: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await cleanUp();
  }
}

process.exit(await main());
