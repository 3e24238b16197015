import type { Command } from "commander";
import { addAddBackend, addChangeBackend, addRemoveBackend, addSwitches } from "./change.ts";
import { addListBackends } from "./list.ts";
import { addTestBackend } from "./test.ts";

const help = `
A search backend is an account of a search provider. These commands change those in the storage; running gateways apply
changes within a second. Change those of the configuration file there. Keys are sealed with TOLLGATE_SECRET_KEY, or with the
key in the file that the first start makes beside the database.

Examples:
  tollgate search-backends list
  tollgate search-backends add main --provider tavily --api-key - < key.txt
  tollgate search-backends test main
  tollgate search-backends disable main`;

/** `tollgate search-backends ...`: manages search backends. */
export function addSearchBackends(program: Command): void {
  const backends = program
    .command("search-backends")
    .description("List, add, change, remove and test search backends")
    .addHelpText("after", help);
  addListBackends(backends);
  addAddBackend(backends);
  addChangeBackend(backends);
  addRemoveBackend(backends);
  addSwitches(backends);
  addTestBackend(backends);
}
