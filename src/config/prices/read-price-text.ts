import { z } from "zod";
import type { PriceFormat } from "../../billing/prices/import/price-formats.ts";
import {
  type FileValue,
  isMap,
  NumberText,
  PriceFileError,
  readPriceFile,
} from "../../billing/prices/import/price-file.ts";
import { type PriceMapReading, readPriceMap } from "../../billing/prices/import/read-price-map.ts";
import type { ImportProblem } from "../../billing/prices/import/read-prices.ts";
import type { PriceDocument } from "../../billing/prices/price-document.ts";
import { explain } from "../file/check-file.ts";
import { formatPath } from "../file/describe.ts";
import { list, oneOf, section, text } from "../file/fields.ts";
import { priceDocument, pricesSchema } from "../file/prices-schema.ts";

const maxModels = 50_000;

const entry = section({
  id: text(300, /^[^\p{C}]+$/u, "the name of a model, without control characters,"),
  prices: pricesSchema,
  cost: oneOf(["provider"]).optional(),
});

/** A layer of an export, without its entries. */
const file = section({
  models: list(z.unknown(), "models", maxModels),
  layer: text(64, /^\w+$/, "a name").optional(),
  source: text(300, /^[^\p{C}]+$/u, "a text").optional(),
  date: text(64, /^[\w.:-]+$/, "a date").optional(),
});

/** Reads the text of a price file in any format. @throws PriceFileError if it is no JSON, or names something twice */
export function readPriceText(content: string, format: PriceFormat): PriceMapReading {
  return format === "tollgate" ? readOwn(content) : readPriceMap(content, format);
}

/** `{"models": [{"id": "gpt-5-mini", "prices": {"input": "0.25", ...}}]}`, prices as a configuration writes them. */
function readOwn(content: string): PriceMapReading {
  const data = plain(readPriceFile(content));
  const whole = file.safeParse(data);
  if (!whole.success) {
    const [problem] = whole.error.issues.flatMap((issue) => problemsOf(issue, data));
    const path = problem?.path ?? "";
    throw new PriceFileError(`${path === "" ? "The file" : path}: ${problem?.message ?? "cannot be read"}.`);
  }
  // The schema has seen that it is a map with a list of models.
  const { models: entries } = data as { readonly models: readonly unknown[] };
  const problems: ImportProblem[] = [];
  const models = new Map<string, PriceDocument>();
  entries.forEach((value, index) => {
    const read = entry.safeParse(value);
    const at = `models[${index}]`;
    if (!read.success) {
      for (const problem of read.error.issues.flatMap((issue) => problemsOf(issue, value))) {
        problems.push({ ...problem, path: problem.path === "" ? at : `${at}.${problem.path}` });
      }
      return;
    }
    const { id, prices, cost } = read.data;
    if (models.has(id)) problems.push({ path: `${at}.id`, message: `found the duplicate model '${id}'` });
    else models.set(id, { ...priceDocument(prices), ...(cost && { cost }) });
  });
  return { table: { source: format, date: null, models: Object.fromEntries(models), vendors: [] }, problems };
}

const format = "tollgate" satisfies PriceFormat;

function problemsOf(issue: Parameters<typeof explain>[0], data: unknown): ImportProblem[] {
  return explain(issue, data, new Set()).map(({ path, found, allowed }) => {
    return { path: formatPath(path), message: `found ${found}; allowed: ${allowed}` };
  });
}

/** A value with its numbers as the configuration's schema wants them; those that a float would round stay text. */
function plain(value: FileValue): unknown {
  if (value instanceof NumberText) {
    const number = Number(value.text);
    return Number.isSafeInteger(number) && String(number) === value.text ? number : value.text;
  }
  if (Array.isArray(value)) return value.map(plain);
  if (!isMap(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, plain(item)]));
}
