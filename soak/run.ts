/** The soak: `npm run soak`. What it does and what its bounds are is in README.md beside it. */
import { cleanUp, cleanUpOnSignals, isInterrupted } from "../bench/processes.ts";
import { figure, formatTable } from "../bench/results/table.ts";
import { lookAfter } from "./aftermath.ts";
import { callAll } from "./callers.ts";
import { judgeBook } from "./judge-book.ts";
import { judgeCoverage } from "./judge-coverage.ts";
import { judgeProcess } from "./judge-process.ts";
import { judgeRecords } from "./judge-records.ts";
import { readLog, readRecords } from "./kept.ts";
import { type Ledger, openLedger } from "./ledger.ts";
import { seededRandom } from "./seeded-random.ts";
import { help, type Options, parseOptions } from "./options.ts";
import { setStage, type Stage } from "./stage.ts";
import { openFiles, type Sample, watch } from "./watch.ts";
import { changeBehaviour } from "./upstream-behaviour.ts";

/** Runs as the options say. Returns the exit code: 1 if any check failed. */
async function soak(options: Options): Promise<number> {
  const stage = await setStage(options);
  const { pid } = stage.gateway;
  const ledger = openLedger();
  const filesBefore = openFiles(pid);
  say(`${options.callers} callers for ${options.seconds} s, seed ${options.seed} ...`);
  const samples = await load(stage, ledger, options);
  const rate = ledger.sightings.length / options.seconds;
  say(`${figure(ledger.sightings.length)} answers, ${figure(rate)} a second; now what is left of them ...`);
  const after = await lookAfter(stage, ledger);

  const records = readRecords(stage.databaseFile);
  const log = await readLog(stage.logFile);
  console.log(answerTable(ledger));
  const findings = [
    judgeCoverage(ledger, records, log),
    ...judgeRecords({ ledger, records, log, keyIds: stage.keyIds }),
    await judgeBook(stage.databaseFile),
    ...judgeProcess(filesBefore, samples, after, log, ledger),
  ];
  for (const { name, detail, ok } of findings) console.log(`${verdict(ok)}  ${name}: ${detail}`);
  const failed = findings.filter(({ ok }) => ok === false).length;
  console.log(`\n${findings.length - failed} passed, ${failed} failed`);
  return failed === 0 ? 0 : 1;
}

/** The load, the changes of the upstreams, and the samples taken meanwhile. A gateway that ends early ends the run. */
async function load(stage: Stage, ledger: Ledger, { seconds, seed, callers }: Options): Promise<Sample[]> {
  const { gateway, gatewayUrl, keys, upstreamUrl } = stage;
  const end = performance.now() + seconds * 1000;
  const isOver = () => performance.now() >= end || gateway.exitCode !== null;
  const [samples] = await Promise.all([
    watch(gateway.pid, isOver),
    changeBehaviour(upstreamUrl, seededRandom(seed), isOver),
    callAll({ gatewayUrl, keys, ledger, callers, isOver }, (caller) => seededRandom(seed * 10_007 + caller)),
  ]);
  if (gateway.exitCode !== null) throw new Error(`the gateway ended with ${gateway.exitCode}: see ${stage.logFile}`);
  return samples;
}

function answerTable({ sightings }: Ledger): string {
  const counts = new Map<string, Map<string, number>>();
  const names = [...new Set(sightings.map(({ keyName }) => keyName))].toSorted();
  for (const { status, code, ending, isReplay, keyName } of sightings) {
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

function say(words: string): void {
  console.error(words);
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
