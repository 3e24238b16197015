import type { Command } from "commander";
import { addListRoutes } from "./routes-list.ts";
import { addRemoveRoute } from "./routes-remove.ts";
import { addSetRoute } from "./routes-set.ts";

const help = `
A route is a name that stands for models: an alias, or a policy over several. Those of the configuration file are
changed there; these commands change the ones in the storage, and running gateways follow within a second.

Examples:
  tollgate routes set fast --alias gpt-5-mini
  tollgate routes set resilient --file route.json
  tollgate routes list
  tollgate routes remove fast`;

/** `tollgate routes ...`: the names that stand for models. */
export function addRoutes(program: Command): void {
  const routes = program
    .command("routes")
    .description("List, set and remove routes: names that stand for models")
    .addHelpText("after", help);
  addListRoutes(routes);
  addSetRoute(routes);
  addRemoveRoute(routes);
}
