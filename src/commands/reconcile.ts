import { type Command, Option } from "commander";
import type { Config } from "../config/config.ts";
import type { Cause, Difference } from "../reconcile/reconcile.ts";
import type { OwnCosts } from "../reconcile/own-costs.ts";
import type { ProviderCosts } from "../reconcile/read-export.ts";
import type { Storage } from "../storage/storage.ts";
import { allRecords, type UsageStore } from "../usage/usage-store.ts";
import { CommandFailure } from "./exit-codes.ts";
import { formatTable, formatUsd } from "./format.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { withStoredCatalog } from "./stored-catalog.ts";
import { databaseExists, withStorage } from "./with-storage.ts";

const help = `
The file is CSV with a header, and has a row for each charge: a day (2026-01-31, RFC 3339 or Unix seconds, in UTC), the
provider's name for a model, and a cost in USD. It is compared with what the calls to the provider should have cost at the
prices in force, by day and model. Records that wait in a gateway's journal are not compared yet.

Causes: key_used_outside (charged, but not called from here), not_in_export, unpriced (a model without a price here),
service_tier (answers in another tier than the usual one), aborted_stream (what was broken off is estimated),
price_out_of_date (the same ratio on all days, or charged less).

Example:
  tollgate reconcile usage.csv --provider openai --day date --model model --cost cost_usd`;

const maxFileBytes = 64 << 20;
/** Records that are held in memory at once. */
const batchSize = 1_000;
const dayMs = 24 * 3_600_000;

interface ReconcileOptions extends ConfigOptions {
  readonly provider: string;
  readonly day: string;
  readonly model: string;
  readonly cost: string;
  readonly json?: boolean;
}

/** `tollgate reconcile FILE`: compares a provider's own usage export with the records. */
export function addReconcile(program: Command): void {
  program
    .command("reconcile")
    .description("Compare a provider's usage export with the records, by day and model")
    .argument("<file>", "the export, as CSV")
    .addOption(new Option("--provider <id>", "the id of the provider").makeOptionMandatory())
    .addOption(new Option("--day <column>", "the column with the day").makeOptionMandatory())
    .addOption(new Option("--model <column>", "the column with the provider's name of the model").makeOptionMandatory())
    .addOption(new Option("--cost <column>", "the column with the cost in USD").makeOptionMandatory())
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (path: string, _options: unknown, command: Command) => {
      await compare(path, command.optsWithGlobals<ReconcileOptions>());
    });
}

async function compare(path: string, options: ReconcileOptions): Promise<void> {
  const { reconcile } = await import("../reconcile/reconcile.ts");
  const costs = await readFile(path, options);
  const read = async (storage: Storage, config: Config) => {
    const { providers } = await withStoredCatalog(storage, config);
    if (!providers.some(({ id }) => id === options.provider)) {
      console.error(`tollgate: note: no provider '${options.provider}' is configured`);
    }
    return ownCosts(storage.usage, options.provider, costs);
  };
  const own = await withStorage(options, read, databaseExists);
  const differences = reconcile(costs, own);
  if (options.json === true) console.log(JSON.stringify(jsonOf(options.provider, differences)));
  else print(differences);
}

async function readFile(path: string, columns: ReconcileOptions): Promise<ProviderCosts> {
  const { readExport } = await import("../reconcile/read-export.ts");
  const file = Bun.file(path);
  if (!(await file.exists())) throw new CommandFailure(`the file ${path} does not exist`);
  if (file.size > maxFileBytes) throw new CommandFailure(`the file ${path} is larger than ${maxFileBytes} bytes`);
  try {
    return readExport(await file.text(), columns);
  } catch (error) {
    throw new CommandFailure(`${path}: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** What the calls of the days that the export covers should have cost. */
async function ownCosts(usage: UsageStore, provider: string, costs: ProviderCosts): Promise<Map<string, OwnCosts>> {
  const { addCalls } = await import("../reconcile/own-costs.ts");
  const own = new Map<string, OwnCosts>();
  const days = [...costs.keys()].map((key) => Date.parse(key.slice(0, "2026-01-31".length)));
  if (days.length === 0) return own;
  const [from, to] = days.reduce(([least, most], day) => [Math.min(least, day), Math.max(most, day)], [Infinity, 0]);
  const filter = { ...allRecords, from: from ?? 0, to: (to ?? 0) + dayMs };
  let before: string | null = null;
  for (;;) {
    const records = await usage.list(filter, { limit: batchSize, before });
    for (const record of records) addCalls(own, record, provider);
    before = records.at(-1)?.id ?? null;
    if (records.length < batchSize) return own;
  }
}

function jsonOf(provider: string, differences: readonly Difference[]) {
  const sum = (field: "providerMicrousd" | "ownMicrousd" | "differenceMicrousd") =>
    differences.reduce((total, each) => total + each[field], 0);
  return {
    object: "reconciliation",
    provider,
    provider_microusd: sum("providerMicrousd"),
    own_microusd: sum("ownMicrousd"),
    difference_microusd: sum("differenceMicrousd"),
    data: differences.map((each) => ({
      day: each.day,
      model: each.model,
      calls: each.calls,
      provider_microusd: each.providerMicrousd,
      own_microusd: each.ownMicrousd,
      difference_microusd: each.differenceMicrousd,
      cause: each.cause === "none" ? null : each.cause,
    })),
  };
}

const causes: Readonly<Record<Cause, string>> = {
  none: "",
  key_used_outside: "the provider's key is used outside of this gateway",
  not_in_export: "not in the export",
  unpriced: "the model has no price here",
  service_tier: "another service tier than the usual one",
  aborted_stream: "streams that were broken off are estimated",
  price_out_of_date: "the price here is out of date",
};

function print(differences: readonly Difference[]): void {
  const rows = differences.map((each) => [
    each.day,
    each.model,
    String(each.calls),
    formatUsd(each.providerMicrousd),
    formatUsd(each.ownMicrousd),
    formatUsd(each.differenceMicrousd),
    causes[each.cause],
  ]);
  const header = ["DAY (UTC)", "MODEL", "CALLS", "PROVIDER (USD)", "HERE (USD)", "DIFFERENCE (USD)", "LIKELY CAUSE"];
  console.log(formatTable([header, ...rows], [2, 3, 4, 5]));
}
