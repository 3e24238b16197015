import type { PriceTable } from "../price-table.ts";
import { readLitellm } from "./litellm.ts";
import { readModelsDev } from "./models-dev.ts";
import type { PublicFormat } from "./price-formats.ts";
import { isMap, PriceFileError, readPriceFile } from "./price-file.ts";
import type { ImportProblem } from "./read-prices.ts";

const maxModels = 50_000;
const maxNameLength = 300;

/** What a public price map says: the prices that can be taken over, and what cannot. */
export interface PriceMapReading {
  readonly table: PriceTable;
  readonly problems: readonly ImportProblem[];
}

/** Reads the text of a public price map. @throws PriceFileError if it is no JSON, or names something twice */
export function readPriceMap(text: string, format: PublicFormat): PriceMapReading {
  const file = readPriceFile(text);
  if (!isMap(file)) throw new PriceFileError("The file is no map of models.");
  const problems: ImportProblem[] = [];
  const models = format === "litellm" ? readLitellm(file, problems) : readModelsDev(file, problems);
  const names = Object.keys(models);
  if (names.length > maxModels) throw new PriceFileError(`The file has more than ${maxModels} models.`);
  for (const name of names) {
    if (name.length > 0 && name.length <= maxNameLength && !/\p{C}/u.test(name)) continue;
    const message = `found a name that is empty, has control characters, or is longer than ${maxNameLength} characters`;
    problems.push({ path: name.replace(/\p{C}/gu, "?").slice(0, maxNameLength), message });
    delete models[name];
  }
  return { table: { source: format, date: null, models, vendors: [] }, problems };
}
