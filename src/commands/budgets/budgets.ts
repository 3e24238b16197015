import type { Command } from "commander";
import { addListBudgets, addRemoveBudget } from "./list.ts";
import { addSetBudget } from "./set.ts";

const help = `
A hard budget refuses requests that it does not cover with 402 budget_exceeded; a soft one only warns. A budget concerns
the requests that match all of its options, and all requests if it has none. What they cost in the current period before it
was set counts as well. A budget of 0 blocks everything.

Examples:
  tollgate budgets set --key abcde12345 --usd 10 --per day --time-zone Europe/Berlin
  tollgate budgets set --account team-a --each end_user --usd 0.50 --per month --notify 80,95
  tollgate budgets set --tag team=search --usd 100 --per week --soft
  tollgate budgets list
  tollgate budgets remove bud_01ks6v8b1zqj5x9r2m4n7p3t0w`;

/** `tollgate budgets ...`: manages the budgets of the configured storage. */
export function addBudgets(program: Command): void {
  const budgets = program.command("budgets").description("Set, list and remove budgets").addHelpText("after", help);
  addSetBudget(budgets);
  addListBudgets(budgets);
  addRemoveBudget(budgets);
}
