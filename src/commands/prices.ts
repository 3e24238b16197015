import type { Command } from "commander";
import type { ModelPrices, PriceList } from "../billing/prices.ts";
import { CommandFailure } from "./exit-codes.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { formatTable, formatUsd } from "./format.ts";
import { withStorage } from "./with-storage.ts";

const help = `
The list in force is the newest in the storage. A changed price in the configuration creates a new version when the
gateway starts. Old versions are kept, and every record names the version it was charged by.

Examples:
  tollgate prices show
  tollgate prices show gpt-5-mini --json`;

interface ShowOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** `tollgate prices show`: shows the price list in force. */
export function addPrices(program: Command): void {
  const prices = program.command("prices").description("Show the prices in force");
  prices
    .command("show")
    .description("Show the price list in force, or the prices of one model")
    .argument("[model]", "the name of the model")
    .option("--json", "print JSON")
    .addOption(configOption())
    .addHelpText("after", help)
    .action(async (model: string | undefined, _options: unknown, command: Command) => {
      await show(model ?? null, command.optsWithGlobals<ShowOptions>());
    });
}

async function show(model: string | null, options: ShowOptions): Promise<void> {
  const list = await withStorage(options, (storage) => storage.prices.latest());
  if (list === null) {
    throw new CommandFailure(
      "there is no price list yet. The first is created when the gateway starts: tollgate start",
    );
  }
  const models = select(list, model);
  if (options.json === true) {
    console.log(JSON.stringify(priceListView(list.version, models)));
    return;
  }
  console.log(`Price list version ${list.version}`);
  if (models.length === 0) return console.log("No model has prices.");
  const rows = models.flatMap(([id, prices]) =>
    Object.values(prices).map((price) => [id, price.dimension, formatUsd(price.unitMicrousd), price.unit.name]),
  );
  console.log(formatTable([["MODEL", "DIMENSION", "USD", "PER"], ...rows], [2]));
}

function select(list: PriceList, model: string | null): [string, ModelPrices][] {
  if (model === null) return Object.entries(list.models).sort(([one], [other]) => (one < other ? -1 : 1));
  const prices = Object.hasOwn(list.models, model) ? list.models[model] : undefined;
  if (prices === undefined) throw new CommandFailure(`the model ${model} has no prices in version ${list.version}`);
  return [[model, prices]];
}

function priceListView(version: number, models: readonly [string, ModelPrices][]) {
  return {
    object: "price_list",
    version,
    currency: "USD",
    models: models.map(([id, prices]) => ({
      id,
      pricing: Object.values(prices).map((price) => ({
        dimension: price.dimension,
        unit: price.unit.name,
        unit_size: price.unit.size,
        unit_microusd: price.unitMicrousd,
      })),
    })),
  };
}
