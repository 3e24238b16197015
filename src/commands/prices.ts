import type { Command } from "commander";
import type { ModelPrices, PriceList } from "../billing/prices.ts";
import type { Config } from "../config/config.ts";
import { CommandFailure } from "./exit-codes.ts";
import { configOption, type ConfigOptions } from "./options.ts";
import { formatTable, formatUsd } from "./format.ts";
import { withStorage } from "./with-storage.ts";

const help = `
The list in force is the newest in the storage. A changed price in the configuration creates a new version when the
gateway starts. Old versions are kept, and every record names the version it was charged by. Before the first start, the
prices of the configuration are shown, without a version.

Examples:
  tollgate prices show
  tollgate prices show gpt-5-mini --json`;

interface ShowOptions extends ConfigOptions {
  readonly json?: boolean;
}

/** The list in force, or what the configuration says before there is one: that has no version yet. */
type ShownList = Pick<PriceList, "models"> & { readonly version: number | null };

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
  const list = await withStorage(options, async (storage, config) => {
    return (await storage.prices.latest()) ?? { version: null, models: await configuredPrices(config) };
  });
  const models = select(list, model);
  if (options.json === true) {
    console.log(JSON.stringify(priceListView(list.version, models)));
    return;
  }
  console.log(
    list.version === null
      ? "Prices of the configuration, in force as version 1 once the gateway starts"
      : `Price list version ${list.version}`,
  );
  if (models.length === 0) return console.log("No model has prices.");
  const rows = models.flatMap(([id, prices]) =>
    Object.values(prices).map((price) => [id, price.dimension, formatUsd(price.unitMicrousd), price.unit.name]),
  );
  console.log(formatTable([["MODEL", "DIMENSION", "USD", "PER"], ...rows], [2]));
}

async function configuredPrices({ models }: Config): Promise<PriceList["models"]> {
  const { pricesByModel } = await import("../billing/price-list.ts");
  return pricesByModel(Object.fromEntries(models.map(({ id, prices }) => [id, prices])));
}

function select(list: ShownList, model: string | null): [string, ModelPrices][] {
  if (model === null) return Object.entries(list.models).sort(([one], [other]) => (one < other ? -1 : 1));
  const prices = Object.hasOwn(list.models, model) ? list.models[model] : undefined;
  if (prices === undefined) {
    const where = list.version === null ? "the configuration" : `version ${list.version}`;
    throw new CommandFailure(`the model ${model} has no prices in ${where}`);
  }
  return [[model, prices]];
}

function priceListView(version: number | null, models: readonly [string, ModelPrices][]) {
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
