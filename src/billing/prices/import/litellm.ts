import type { DimensionName } from "../../../dimensions.ts";
import type { PriceDocument, RatesDocument, TierDocument } from "../price-document.ts";
import { type FileMap, type FileValue, isMap, NumberText } from "./price-file.ts";
import { type ImportProblem, type MutableRates, readPrice } from "./read-prices.ts";

/** LiteLLM's names for prices, with what they mean here, and by how many places the decimal point moves. */
const known: Readonly<Record<string, readonly [name: DimensionName, shift: number]>> = {
  input_cost_per_token: ["input", 6],
  output_cost_per_token: ["output", 6],
  cache_read_input_token_cost: ["cache_read", 6],
  cache_creation_input_token_cost: ["cache_write_5m", 6],
  cache_creation_input_token_cost_above_1hr: ["cache_write_1h", 6],
  input_cost_per_audio_token: ["input_audio", 6],
  output_cost_per_audio_token: ["output_audio", 6],
  input_cost_per_image_token: ["input_image", 6],
  output_cost_per_image_token: ["output_image", 6],
  output_cost_per_image: ["image", 0],
  input_cost_per_second: ["second", 0],
  output_cost_per_video_per_second: ["video_second", 0],
  input_cost_per_character: ["character", 6],
  input_cost_per_query: ["web_search", 0],
  input_cost_per_request: ["request", 0],
};

/** The words at the end of a name, with the service tier that they mean. */
const serviceTiers: Readonly<Record<string, string>> = { batches: "batch", priority: "priority", flex: "flex" };

/** Models that read and write text have both prices. */
const textModes: ReadonlySet<string> = new Set(["chat", "completion", "responses"]);

/** An entry of LiteLLM's map that shows its format. */
const sampleName = "sample_spec";

/** Converts LiteLLM's price map: `{model: {input_cost_per_token, ...}}`, in USD of one token, image, second. */
export function readLitellm(file: FileMap, problems: ImportProblem[]): Record<string, PriceDocument> {
  const models = new Map<string, PriceDocument>();
  for (const [name, entry] of Object.entries(file)) {
    if (name === sampleName) continue;
    const before = problems.length;
    const prices = isMap(entry) ? readModel(name, entry, problems) : {};
    if (!isMap(entry)) problems.push({ path: name, message: "found no map of prices" });
    if (problems.length === before) models.set(name, prices);
  }
  return Object.fromEntries(models);
}

/** The prices of one condition. */
interface Group {
  readonly rates: MutableRates;
  readonly tiers: Map<number, MutableRates>;
}

function readModel(model: string, entry: FileMap, problems: ImportProblem[]): PriceDocument {
  const base: Group = { rates: {}, tiers: new Map() };
  const services = new Map<string, Group>();
  for (const [field, value] of Object.entries(entry)) {
    const place = placeOf(field);
    if (place === null || value === null) continue;
    const rate = readPrice(value, `${model}.${field}`, place.shift, problems);
    if (rate === null) continue;
    const group = place.service === null ? base : groupOf(services, place.service);
    ratesOf(group, place.above)[place.name] = rate;
  }
  readSearchPrice(model, entry, base, problems);
  readVideoPrice(model, entry, base, problems);
  readRanges(model, entry, base, problems);
  checkComplete(model, entry, base, problems);
  const document = documentOf(base);
  if (services.size === 0) return document;
  const service_tiers = Object.fromEntries([...services].map(([name, group]) => [name, documentOf(group)]));
  return { ...document, service_tiers };
}

interface Place {
  readonly name: DimensionName;
  readonly shift: number;
  readonly above: number | null;
  readonly service: string | null;
}

/** What a field is the price of; null if it is no price that is known here. */
function placeOf(field: string): Place | null {
  const [, rest = "", word = null] = /^(.*?)(?:_(batches|priority|flex))?$/.exec(field) ?? [];
  const [, name = "", thousands = null] = /^(.*?)(?:_above_(\d{1,6})k_tokens)?$/.exec(rest) ?? [];
  const entry = Object.hasOwn(known, name) ? known[name] : undefined;
  if (!entry) return null;
  const above = thousands === null ? null : Number(thousands) * 1_000;
  return { name: entry[0], shift: entry[1], above, service: word === null ? null : (serviceTiers[word] ?? null) };
}

function groupOf(services: Map<string, Group>, name: string): Group {
  let group = services.get(name);
  if (!group) services.set(name, (group = { rates: {}, tiers: new Map() }));
  return group;
}

function ratesOf(group: Group, above: number | null): MutableRates {
  if (above === null) return group.rates;
  let rates = group.tiers.get(above);
  if (!rates) group.tiers.set(above, (rates = {}));
  return rates;
}

/** `search_context_cost_per_query` has a price for each size of what is found; the middle one is the default. */
function readSearchPrice(model: string, entry: FileMap, { rates }: Group, problems: ImportProblem[]): void {
  const sizes = entry.search_context_cost_per_query;
  if (!isMap(sizes) || rates.web_search !== undefined) return;
  const name = "search_context_size_medium";
  const rate = readPrice(sizes[name], `${model}.search_context_cost_per_query.${name}`, 0, problems);
  if (rate !== null) rates.web_search = rate;
}

/** `output_cost_per_second` is the price of video, or of what a transcription hears. */
function readVideoPrice(model: string, entry: FileMap, { rates }: Group, problems: ImportProblem[]): void {
  const value = entry.output_cost_per_second;
  if (value === undefined || value === null) return;
  const name = entry.mode === "video_generation" ? "video_second" : "second";
  const rate = readPrice(value, `${model}.output_cost_per_second`, 0, problems);
  if (rate !== null) rates[name] ??= rate;
}

/** `tiered_pricing` has a whole set of prices for each range of the prompt's size. */
function readRanges(model: string, entry: FileMap, group: Group, problems: ImportProblem[]): void {
  const ranges = entry.tiered_pricing;
  if (!Array.isArray(ranges)) return;
  ranges.forEach((range: FileValue, index) => {
    const path = `${model}.tiered_pricing[${index}]`;
    const start = isMap(range) && Array.isArray(range.range) ? (range.range[0] as FileValue | undefined) : undefined;
    const above = start instanceof NumberText ? Number(start.text) : Number.NaN;
    if (!isMap(range) || !Number.isSafeInteger(above) || above < 0) {
      problems.push({ path: `${path}.range`, message: "found no range of tokens; allowed: [from, to]" });
      return;
    }
    const rates = ratesOf(group, above === 0 ? null : above);
    for (const [field, value] of Object.entries(range)) {
      const place = placeOf(field);
      const rate = place && readPrice(value, `${path}.${field}`, place.shift, problems);
      if (place && rate !== null) rates[place.name] = rate;
    }
  });
}

function checkComplete(model: string, entry: FileMap, { rates }: Group, problems: ImportProblem[]): void {
  const { mode } = entry;
  const isText = mode === undefined || (typeof mode === "string" && textModes.has(mode));
  const miss = (field: string) => {
    // A price that is there and invalid has been reported.
    if ((entry[field] ?? null) === null) problems.push({ path: `${model}.${field}`, message: "is missing" });
  };
  if (isText && (rates.input !== undefined || rates.output !== undefined)) {
    if (rates.input === undefined) miss("input_cost_per_token");
    if (rates.output === undefined) miss("output_cost_per_token");
  } else if (Object.keys(rates).length === 0 && problems.every(({ path }) => !path.startsWith(`${model}.`))) {
    problems.push({ path: model, message: "has no price that is known here" });
  }
}

function documentOf({ rates, tiers }: Group): RatesDocument & { readonly tiers?: readonly TierDocument[] } {
  const steps = [...tiers].toSorted(([one], [other]) => one - other);
  const listed = steps.map(([above, each]): TierDocument => ({ above_input_tokens: above, ...withWrites(each) }));
  return listed.length === 0 ? withWrites(rates) : { ...withWrites(rates), tiers: listed };
}

/** A write to a cache whose lifetime is not told costs what one for 5 minutes costs. */
function withWrites(rates: MutableRates): RatesDocument {
  return rates.cache_write_5m === undefined ? rates : { ...rates, cache_write: rates.cache_write_5m };
}
