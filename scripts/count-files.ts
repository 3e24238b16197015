/**
 * Counts files for docs/performance.md and docs/architecture.md: `npm run count-files` prints the source files that a warm
 * chat request passes; with `--outside FOLDER` and a range of commits or a list of files, those that a change touches
 * outside that folder.
 */
import { parseArgs } from "node:util";
import { filesOfDiff, filesOutside } from "./count-files/outside.ts";
import { warmPathFiles } from "./count-files/warm-path.ts";

const help = `npm run count-files                                      files that a warm chat request passes
npm run count-files -- --outside FOLDER --diff RANGE     files that the commits touch outside FOLDER
npm run count-files -- --outside FOLDER FILE...          those of the files that are outside FOLDER
`;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      outside: { type: "string" },
      diff: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return console.log(help);
  if (values.outside === undefined) {
    if (values.diff !== undefined || positionals.length > 0) throw new Error("files are counted with --outside FOLDER");
    return print(await warmPathFiles(), "files are passed by a warm chat request");
  }
  const files = values.diff === undefined ? positionals : await filesOfDiff(values.diff);
  if (files.length === 0) throw new Error("no files: give --diff RANGE, or a list of files");
  print(filesOutside(files, values.outside), `of ${new Set(files).size} files are outside ${values.outside}`);
}

function print(files: readonly string[], words: string): void {
  console.log([...files, "", `${files.length} ${words}`].join("\n"));
}

try {
  await main();
} catch (error) {
  console.error(`count-files: ${error instanceof Error ? error.message : String(error)}`);
  process.exitCode = 1;
}
