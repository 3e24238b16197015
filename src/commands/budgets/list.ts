import type { Command } from "commander";
import { operatorBudgetView } from "../../billing/budgets/budget-view.ts";
import { describeBudget } from "../../billing/budgets/describe-budget.ts";
import { readStates } from "../../billing/budgets/read-states.ts";
import { systemClock } from "../../clock.ts";
import { CommandFailure } from "../exit-codes.ts";
import { formatTable, formatUsd } from "../format.ts";
import { operator } from "../operator.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { withStorage } from "../with-storage.ts";

interface ListOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate budgets list`: lists all budgets with what was spent of them in the current period. */
export function addListBudgets(budgets: Command): void {
  budgets
    .command("list")
    .description("List the budgets with what was spent of them")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
}

/** `tollgate budgets remove`: removes a budget. */
export function addRemoveBudget(budgets: Command): void {
  budgets
    .command("remove")
    .description("Remove a budget")
    .argument("<id>", "the id of the budget")
    .option("--json", "print JSON")
    .addOption(configOption())
    .action(async (id: string, _options: unknown, command: Command) => {
      await remove(id, command.optsWithGlobals<ListOptions>());
    });
}

async function list(options: ListOptions): Promise<void> {
  const states = await withStorage(options, async ({ budgets }) => {
    return readStates(budgets, await budgets.list(), systemClock.now());
  });
  if (options.json === true) {
    const data = states.map(operatorBudgetView);
    console.log(JSON.stringify({ object: "list", data }));
    return;
  }
  const rows = states.map(({ budget, counter }) => [
    budget.id,
    budget.kind,
    counter === null ? "-" : formatUsd(counter.spentMicrousd),
    counter === null ? "-" : formatUsd(counter.heldMicrousd),
    describeBudget(budget),
  ]);
  console.log(formatTable([["ID", "KIND", "SPENT", "HELD (USD)", "BUDGET"], ...rows], [2, 3]));
}

async function remove(id: string, options: ListOptions): Promise<void> {
  await withStorage(options, async ({ budgets }) => {
    if (!(await budgets.remove(id, operator())))
      throw new CommandFailure(`unknown budget ${id}. See: tollgate budgets list`);
  });
  console.log(options.json === true ? JSON.stringify({ object: "budget", id, removed: true }) : `Removed ${id}.`);
}
