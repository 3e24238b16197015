import type { Command } from "commander";
import type { Config } from "../../config/config.ts";
import type { RouteEntry } from "../../routing/stored/route-view.ts";
import type { Storage } from "../../storage/storage.ts";
import { describeTime } from "../keys/describe-key.ts";
import { configOption, type ConfigOptions } from "../options.ts";
import { formatTable } from "../format.ts";
import { withStoredCatalog } from "../stored-catalog.ts";
import { withStorage } from "../with-storage.ts";

interface ListOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate routes list`: lists the routes of the configuration and of the storage. */
export function addListRoutes(routes: Command): void {
  routes
    .command("list")
    .description("List the routes of the configuration and of the storage")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", "\nExamples:\n  tollgate routes list\n  tollgate routes list --json")
    .action(async (_options: unknown, command: Command) => list(command.optsWithGlobals<ListOptions>()));
}

async function list(options: ListOptions): Promise<void> {
  const entries = await withStorage(options, entriesOf);
  if (options.json === true) {
    const { routeView } = await import("../../routing/stored/route-view.ts");
    console.log(JSON.stringify({ object: "list", data: entries.map(routeView) }));
    return;
  }
  if (entries.length === 0) {
    console.log("There are no routes. Create one: tollgate routes set NAME --alias MODEL");
    return;
  }
  const rows = entries.map(({ definition, source, updatedAt }) => [
    definition.id,
    definition.kind === "alias" ? "alias" : definition.strategy,
    describeTargets(definition),
    source,
    updatedAt === null ? "" : describeTime(updatedAt),
  ]);
  console.log(formatTable([["ID", "KIND", "TARGETS", "SOURCE", "CHANGED (UTC)"], ...rows]));
  for (const { definition, problem } of entries) {
    if (problem !== null) console.error(`tollgate: note: the route ${definition.id} is not in force: ${problem}`);
  }
}

async function entriesOf(storage: Storage, config: Config): Promise<RouteEntry[]> {
  const { models, auto, routes, lines } = await withStoredCatalog(storage, config);
  const stored = await storage.routes.list();
  const { problemsOfStored } = await import("../../config/routes/read-route.ts");
  const problems = problemsOfStored({ models, auto, routes, stored: stored.map(({ definition }) => definition) });
  const configured = routes.map((definition): RouteEntry => {
    const line = lines.routes.get(definition.id) ?? null;
    return { definition, source: "config", line, updatedAt: null, problem: null };
  });
  const fromStorage = stored.map((route): RouteEntry => {
    return { ...route, source: "storage", line: null, problem: problems.get(route.definition.id) ?? null };
  });
  return [...configured, ...fromStorage];
}

/** A short description of a route's targets. */
function describeTargets(definition: RouteEntry["definition"]): string {
  if (definition.kind === "alias") return definition.leadsTo;
  const maxShown = 5;
  const names = definition.members.map(({ model, weight }) => (weight === 1 ? model : `${model} (${weight})`));
  const more = names.length > maxShown ? `, ... and ${names.length - maxShown} more` : "";
  return names.slice(0, maxShown).join(", ") + more;
}
