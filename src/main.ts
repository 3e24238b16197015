import { runCommandLine } from "./commands/program.ts";

const exitCode = await runCommandLine(process.argv.slice(2));
process.exit(exitCode);
