/** The benchmark: `npm run bench`. What it measures and how to read it is in README.md beside it. */
import { writeFileSync } from "node:fs";
import { readBars, verdict } from "./results/bars.ts";
import { choosePinning, inspectMachine, substitutions } from "./machine.ts";
import { measure, tollgateFolder } from "./measure.ts";
import { help, type Options, parseOptions } from "./options.ts";
import { cleanUp, cleanUpOnSignals, isInterrupted, scratchFolder } from "./processes.ts";
import { formatReport } from "./results/report.ts";
import { lastWords } from "./contenders/tollgate.ts";
import { startUpstream } from "./upstream.ts";

/** Runs as the options say. Returns the exit code: 1 if records do not equal requests. A missed bar is no failure. */
async function bench(options: Options): Promise<number> {
  const machine = inspectMachine();
  const pinning = choosePinning(machine);
  const folder = scratchFolder();
  const upstream = await startUpstream(machine, pinning, folder, options.upstreamPort);
  const setting = [
    `${machine.processor}, ${machine.cores.length} cores, ${machine.memoryGigabytes} GB; Bun ${Bun.version}.`,
    `Upstream: ${upstream.words}, port ${upstream.port}. Pinning: ${pinning.words}.`,
    `${options.rounds} round(s) of ${options.seconds} s, contenders in turn; figures are medians of the rounds.`,
    ...substitutions(machine),
  ];
  console.log(`${setting.join("\n")}\n`);
  const tools = { machine, pinning, folder };
  const started = performance.now();
  const elapsed = () => `[${Math.round((performance.now() - started) / 1000)} s]`;
  const progress = (words: string) => console.error(`${elapsed()} measuring ${words} ...`);
  const results = await measure(options, tools, upstream, setting, progress).catch((error: unknown) => {
    if (!isInterrupted()) console.error(`The end of Tollgate's log:\n${lastWords(tollgateFolder(folder))}`);
    throw error;
  });
  console.error(`${elapsed()} done`);
  console.log(`\n${formatReport(results)}`);
  if (options.jsonFile !== null) {
    const bars = readBars(results).map((bar) => ({ ...bar, verdict: verdict(bar) }));
    writeFileSync(options.jsonFile, `${JSON.stringify({ ...results, bars }, null, 2)}\n`);
  }
  return Object.values(results.records).every((check) => check?.equal) ? 0 : 1;
}

async function main(): Promise<number> {
  cleanUpOnSignals();
  try {
    const options = parseOptions(process.argv.slice(2));
    if (options !== null) return await bench(options);
    console.log(help);
    return 0;
  } catch (error) {
    if (isInterrupted()) return 130;
    console.error(`bench: ${error instanceof Error ? error.message : String(error)}`);
    return 1;
  } finally {
    await cleanUp();
  }
}

process.exit(await main());
