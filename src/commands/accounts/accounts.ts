import type { Command } from "commander";
import { addCreateAccount } from "./create.ts";
import { addShowLedger } from "./ledger.ts";
import { addLogBodies } from "./log-bodies.ts";
import { addPostEntry } from "./post.ts";
import { addUpdateAccount } from "./update.ts";
import { addListAccounts, addShowAccount } from "./show.ts";

const help = `
An account owns keys and a balance. The account "default" always exists and owns the keys that are not given another one.
The balance of a prepaid account covers every request before it is sent to a provider: it is never negative.

Examples:
  tollgate accounts create team-a --prepaid
  tollgate accounts credit team-a --usd 25 --note "invoice 17" --idempotency-key invoice-17
  tollgate keys create --name alice --account team-a
  tollgate accounts update team-a --require-tag team --allow-tag env=prod,staging
  tollgate accounts log-bodies team-a --on --retention 3d
  tollgate accounts show team-a
  tollgate accounts ledger team-a`;

/** `tollgate accounts ...`: manages the accounts of the configured storage. */
export function addAccounts(program: Command): void {
  const accounts = program
    .command("accounts")
    .description("Create, credit and show accounts and their ledgers")
    .addHelpText("after", help);
  addCreateAccount(accounts);
  addListAccounts(accounts);
  addShowAccount(accounts);
  addPostEntry(accounts, "credit");
  addPostEntry(accounts, "debit");
  addShowLedger(accounts);
  addUpdateAccount(accounts);
  addLogBodies(accounts);
}
