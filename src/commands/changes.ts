import { type Command, Option } from "commander";
import { type Actor, type Change, type ChangeKind, changeKinds } from "../changes/change.ts";
import { changeView } from "../changes/change-view.ts";
import { formatTable } from "./format.ts";
import { describeTime } from "./keys/describe-key.ts";
import { configOption, type ConfigOptions, positiveNumber } from "./options.ts";
import { withStorage } from "./with-storage.ts";

const help = `
Every change of keys, accounts, budgets, prices, routes, search backends and users of the console, by the command line, by the
admin API and in the console, newest first. With --json, each has the state before and after.

Examples:
  tollgate changes
  tollgate changes --kind key --id 0123456789 --json`;

interface ChangesOptions extends ConfigOptions {
  readonly kind?: ChangeKind;
  readonly id?: string;
  readonly limit?: number;
  readonly json?: boolean;
}

/** `tollgate changes`: the audit trail. */
export function addChanges(program: Command): void {
  program
    .command("changes")
    .description("Show who changed which keys, prices and routes")
    .addOption(new Option("--kind <kind>", "only changes of this kind").choices(changeKinds))
    .option("--id <id>", "only changes of the key, version or route with this id")
    .addOption(new Option("--limit <n>", "how many, newest first (default: 50)").argParser(positiveNumber))
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (_options: unknown, command: Command) => show(command.optsWithGlobals<ChangesOptions>()));
}

async function show(options: ChangesOptions): Promise<void> {
  const { kind = null, id = null, limit = 50 } = options;
  const changes = await withStorage(options, (storage) => storage.changes.list({ kind, id, limit, after: null }));
  if (options.json === true) {
    return console.log(JSON.stringify({ object: "list", data: changes.map(changeView) }));
  }
  if (changes.length === 0) return console.log("There are no changes.");
  console.log(formatTable([["WHEN (UTC)", "WHO", "KIND", "ID", "ACTION", "CHANGED"], ...changes.map(rowOf)]));
}

function rowOf(change: Change): string[] {
  const { createdAt, by, kind, id, action } = change;
  return [describeTime(createdAt), describeActor(by), kind, id, action, changedFields(change)];
}

function describeActor(by: Actor): string {
  if (by.kind === "key") return `key ${by.id}`;
  return by.kind === "gateway" ? "gateway" : `${by.user} (${by.kind === "console" ? "console" : "command line"})`;
}

/** The names of the fields that differ before and after. */
function changedFields({ before, after }: Change): string {
  if (before === null || after === null) return "";
  const old = new Map<string, unknown>(Object.entries(before));
  const names = Object.entries(after).filter(
    ([name, value]) => JSON.stringify(value) !== JSON.stringify(old.get(name)),
  );
  return names.map(([name]) => name).join(", ");
}
