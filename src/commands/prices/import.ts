import { basename } from "node:path";
import type { PriceFormat } from "../../billing/prices/import/price-formats.ts";
import type { PriceMapReading } from "../../billing/prices/import/read-price-map.ts";
import { CommandFailure } from "../exit-codes.ts";
import { withStorage } from "../with-storage.ts";
import { type ChangeOptions, noteOf, report } from "./change.ts";

export interface ImportOptions extends ChangeOptions {
  readonly format: PriceFormat;
  readonly skipInvalid?: boolean;
}

const maxFileBytes = 64 * 1024 * 1024;
const maxShown = 10;

/** `tollgate prices import FILE`: a file with anything invalid changes nothing, unless that is to be left out. */
export async function importFile(path: string, options: ImportOptions): Promise<void> {
  const { table, problems } = await read(path, options.format);
  const models = Object.keys(table.models).length;
  if (problems.length > 0 && options.skipInvalid !== true) {
    throw new CommandFailure(
      `${path} is not imported: ${count(problems.length, "problem")}.\n${listed(problems)}\n` +
        "With --skip-invalid the models concerned are left out.",
    );
  }
  if (models === 0) throw new CommandFailure(`${path} is not imported: it has no model with a price.`);
  const published = await withStorage(options, async ({ prices }) => {
    const { importPrices } = await import("../../billing/price-lists/change-prices.ts");
    return importPrices(prices, table, noteOf(options, `imported ${basename(path)}`));
  });
  if (options.json !== true) {
    console.log(`Read the prices of ${count(models, "model")} from ${path}.`);
    if (problems.length > 0) console.log(`Left out, with ${count(problems.length, "problem")}:\n${listed(problems)}`);
  }
  report(published, options, { models, left_out: problems });
}

async function read(path: string, format: PriceFormat): Promise<PriceMapReading> {
  const file = Bun.file(path);
  if (!(await file.exists())) throw new CommandFailure(`the file ${path} does not exist`);
  if (file.size > maxFileBytes) throw new CommandFailure(`the file ${path} is larger than ${maxFileBytes} bytes`);
  const { readPriceText } = await import("../../config/prices/read-price-text.ts");
  try {
    return readPriceText(await file.text(), format);
  } catch (error) {
    throw new CommandFailure(`${path} is not imported. ${error instanceof Error ? error.message : String(error)}`);
  }
}

function listed(problems: PriceMapReading["problems"]): string {
  const lines = problems.slice(0, maxShown).map(({ path, message }) => `  ${path}: ${message}`);
  if (problems.length > maxShown) lines.push(`  ... and ${problems.length - maxShown} more`);
  return lines.join("\n");
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? "" : "s"}`;
}
