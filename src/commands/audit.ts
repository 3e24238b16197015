import type { Command } from "commander";
import type { Finding } from "../billing/audit.ts";
import { exitCodes, CommandFailure } from "./exit-codes.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { databaseExists, withStorage } from "./with-storage.ts";

const help = `
Checks that every record agrees with its line items and its ledger entries, every account with its entries and leases, and
the sums of usage with the records, to the micro-dollar. It may run beside a gateway. Records that wait in a gateway's journal are not in the book yet. Ends
with 1 if anything does not agree.`;

/** Findings that are printed; all are counted. */
const maxShown = 1_000;

interface AuditOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate audit`: checks that the stored book adds up. */
export function addAudit(program: Command): void {
  program
    .command("audit")
    .description("Check that records, line items, ledger, balances and sums agree")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => audit(command.optsWithGlobals<AuditOptions>()));
}

async function audit(options: AuditOptions): Promise<void> {
  const shown: Finding[] = [];
  let found = 0;
  const count = (finding: Finding) => {
    found += 1;
    if (shown.length < maxShown) shown.push(finding);
  };
  const counts = await withStorage(options, ({ auditor }) => auditor.audit(count), databaseExists);
  if (options.json === true) {
    console.log(JSON.stringify({ object: "audit", ...counts, findings: found, data: shown }));
  } else {
    for (const { kind, subject, message } of shown) console.log(`${kind}: ${subject}: ${message}`);
    const { accounts, entries, records } = counts;
    const looked = [some(accounts, "account", "accounts"), some(entries, "entry", "entries")];
    console.log(`Looked at ${looked.join(", ")} and ${some(records, "record", "records")}.`);
  }
  if (found > 0)
    throw new CommandFailure(`the book does not add up: ${some(found, "finding", "findings")}`, exitCodes.failure);
}

function some(count: number, one: string, many: string): string {
  return `${count} ${count === 1 ? one : many}`;
}
