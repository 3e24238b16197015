import type { Command } from "commander";
import { addListRoutes } from "./list.ts";
import { addRemoveRoute, addSetRoute } from "./change.ts";

const help = `
A route is a name for models: an alias, or a policy over several models. These commands change the routes in the
storage; running gateways apply changes within a second. Change the routes of the configuration file there.

Examples:
  tollgate routes set fast --alias gpt-5-mini
  tollgate routes set resilient --file route.json
  tollgate routes list
  tollgate routes remove fast`;

/** `tollgate routes ...`: manages routes. */
export function addRoutes(program: Command): void {
  const routes = program
    .command("routes")
    .description("List, set and remove routes (aliases and policies)")
    .addHelpText("after", help);
  addListRoutes(routes);
  addSetRoute(routes);
  addRemoveRoute(routes);
}
