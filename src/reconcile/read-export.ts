import { CsvError, readCsv } from "./read-csv.ts";

/** The names of the columns of a provider's usage export. */
export interface ExportColumns {
  readonly day: string;
  readonly model: string;
  readonly cost: string;
}

/** What a provider charged, in whole micro-USD, by `dayAndModel`. */
export type ProviderCosts = ReadonlyMap<string, number>;

/** The key of a day and a model. */
export function dayAndModel(day: string, model: string): string {
  return `${day}\t${model}`;
}

/** The day and the model of a key. */
export function ofDayAndModel(key: string): readonly [day: string, model: string] {
  const end = key.indexOf("\t");
  return [key.slice(0, end), key.slice(end + 1)];
}

/** Sums are of 10^-15 USD, since exports have costs of single tokens; more decimals are cut. */
const decimals = 15;
const perMicrousd = 10n ** BigInt(decimals - 6);
/** A billion USD. No row of an export has more. */
const maxAmount = 10n ** BigInt(decimals + 9);

/** Sums up a provider's export by day (UTC) and model. Throws a `CsvError` that names the line or the column. */
export function readExport(text: string, columns: ExportColumns): ProviderCosts {
  const sums = new Map<string, bigint>();
  let places: { readonly day: number; readonly model: number; readonly cost: number } | null = null;
  let count = 0;
  for (const row of readCsv(text)) {
    count += 1;
    if (places === null) {
      places = { day: place(row, columns.day), model: place(row, columns.model), cost: place(row, columns.cost) };
      continue;
    }
    const day = readDay(row[places.day], count, columns.day);
    const model = row[places.model];
    if (model === undefined)
      throw new CsvError(`Row ${count} has no model in '${columns.model}': it ends before that.`);
    const key = dayAndModel(day, model.trim());
    sums.set(key, (sums.get(key) ?? 0n) + readCost(row[places.cost], count, columns.cost));
  }
  if (places === null) throw new CsvError("The file is empty.");
  return new Map([...sums].map(([key, sum]) => [key, toMicrousd(sum)]));
}

/** Rounds half up, below zero too. */
function toMicrousd(sum: bigint): number {
  const doubled = 2n * sum + perMicrousd;
  const cut = doubled / (2n * perMicrousd);
  return Number(doubled < 0n && cut * 2n * perMicrousd !== doubled ? cut - 1n : cut);
}

function place(header: readonly string[], name: string): number {
  const found = header.findIndex((each) => each.trim() === name);
  const times = header.filter((each) => each.trim() === name).length;
  if (times > 1) throw new CsvError(`The file has ${times} columns '${name}'.`);
  if (found >= 0) return found;
  throw new CsvError(`The file has no column '${name}'. It has: ${header.join(", ").slice(0, 500)}.`);
}

function readDay(text: string | undefined, row: number, column: string): string {
  const value = (text ?? "").trim();
  const seconds = /^\d{9,11}$/.test(value) ? Number(value) * 1000 : null;
  const time = seconds ?? (/^\d{4}-\d{2}-\d{2}/.test(value) ? Date.parse(withZone(value)) : Number.NaN);
  if (Number.isNaN(time) || (seconds === null && !isDate(value.slice(0, 10)))) {
    throw new CsvError(`Row ${row} has no date in '${column}': expected 2026-01-31, RFC 3339 or Unix seconds.`);
  }
  return new Date(time).toISOString().slice(0, 10);
}

/** Whether there is such a day: `Date.parse` takes the 30th of February for the 2nd of March. */
function isDate(text: string): boolean {
  const time = Date.parse(text);
  return !Number.isNaN(time) && new Date(time).toISOString().startsWith(text);
}

/** A time without a zone is in UTC, as the days of exports are. */
function withZone(value: string): string {
  const time = value.replace(" ", "T");
  return !time.includes("T") || /(Z|[+-]\d{2}:?\d{2})$/.test(time) ? time : `${time}Z`;
}

function readCost(text: string | undefined, row: number, column: string): bigint {
  if (text === undefined) throw new CsvError(`Row ${row} has no amount in USD in '${column}': it ends before that.`);
  const value = text.trim().replace(/^\$/, "");
  if (value === "") return 0n;
  const [, sign = "", whole = "", fraction = "", exponent = "0"] =
    /^([+-]?)(\d{1,15})(?:\.(\d{0,30}))?(?:[eE]([+-]?\d{1,2}))?$/.exec(value) ?? [];
  if (whole === "") throw new CsvError(`Row ${row} has no amount in USD in '${column}': '${value.slice(0, 40)}'.`);
  const shift = decimals + Number(exponent) - fraction.length;
  const digits = BigInt(whole + fraction);
  const amount = shift >= 0 ? digits * 10n ** BigInt(shift) : digits / 10n ** BigInt(-shift);
  if (amount > maxAmount) throw new CsvError(`Row ${row} has no amount up to a billion USD in '${column}'.`);
  return sign === "-" ? -amount : amount;
}
