import type { DimensionName } from "../../../dimensions.ts";
import type { PriceDocument, RatesDocument, TierDocument } from "../price-document.ts";
import { type FileMap, type FileValue, isMap, NumberText } from "./price-file.ts";
import { type ImportProblem, type MutableRates, readPrice } from "./read-prices.ts";

/** Prices of models.dev, in USD of a million tokens. Reasoning is part of the output. */
const names = [
  "input",
  "output",
  "cache_read",
  "cache_write",
  "input_audio",
  "output_audio",
] as const satisfies readonly DimensionName[];

const longPrompt = 200_000;

/**
 * Converts models.dev's `{provider: {models: {model: {cost}}}}`. A model is known as `provider/model`, and by its bare name
 * if only one provider has it.
 */
export function readModelsDev(file: FileMap, problems: ImportProblem[]): Record<string, PriceDocument> {
  const documents = new Map<string, PriceDocument[]>();
  const models = new Map<string, PriceDocument>();
  for (const [provider, { models: listed = null }] of providersOf(file, problems)) {
    if (!isMap(listed)) {
      problems.push({ path: `${provider}.models`, message: "is missing" });
      continue;
    }
    for (const [model, entry] of Object.entries(listed)) {
      const before = problems.length;
      const prices = readModel(`${provider}.models.${model}`, entry, problems);
      if (problems.length > before) continue;
      models.set(`${provider}/${model}`, prices);
      documents.set(model, [...(documents.get(model) ?? []), prices]);
    }
  }
  for (const [model, [only, ...others]] of documents) {
    if (only && others.length === 0 && !models.has(model)) models.set(model, only);
  }
  return Object.fromEntries(models);
}

function providersOf(file: FileMap, problems: ImportProblem[]): [string, FileMap][] {
  return Object.entries(file).flatMap(([id, provider]): [string, FileMap][] => {
    if (isMap(provider)) return [[id, provider]];
    problems.push({ path: id, message: "found no map with models" });
    return [];
  });
}

function readModel(path: string, entry: FileValue, problems: ImportProblem[]): PriceDocument {
  const cost = isMap(entry) ? entry.cost : undefined;
  if (!isMap(cost)) {
    problems.push({ path: `${path}.cost`, message: "is missing" });
    return {};
  }
  for (const name of ["input", "output"]) {
    if (cost[name] === undefined) problems.push({ path: `${path}.cost.${name}`, message: "is missing" });
  }
  const tiers = tiersOf(`${path}.cost`, cost, problems);
  const rates = ratesOf(`${path}.cost`, cost, problems);
  return tiers.length === 0 ? rates : { ...rates, tiers };
}

function ratesOf(path: string, cost: FileMap, problems: ImportProblem[]): RatesDocument {
  const rates: MutableRates = {};
  for (const name of names) {
    if (cost[name] === undefined || cost[name] === null) continue;
    const rate = readPrice(cost[name], `${path}.${name}`, 0, problems);
    if (rate !== null) rates[name] = rate;
  }
  return rates;
}

/** Prices of long prompts: `context_over_200k`, or a list of `tiers` with a size each. */
function tiersOf(path: string, cost: FileMap, problems: ImportProblem[]): TierDocument[] {
  const { context_over_200k: over, tiers } = cost;
  if (Array.isArray(tiers)) {
    return tiers.flatMap((each: FileValue, index): TierDocument[] => {
      const at = `${path}.tiers[${index}]`;
      const size = isMap(each) && isMap(each.tier) ? each.tier.size : undefined;
      const above = size instanceof NumberText ? Number(size.text) : Number.NaN;
      if (isMap(each) && Number.isSafeInteger(above) && above >= 0) {
        return [{ above_input_tokens: above, ...ratesOf(at, each, problems) }];
      }
      problems.push({ path: `${at}.tier.size`, message: "found no number of tokens" });
      return [];
    });
  }
  if (!isMap(over)) return [];
  return [{ above_input_tokens: longPrompt, ...ratesOf(`${path}.context_over_200k`, over, problems) }];
}
