import { z } from "zod";
import { type DimensionName, dimensionNames } from "../../dimensions.ts";
import { type PriceDocument, type VariantRates, variedDimensions } from "../../billing/prices/price-document.ts";
import { isTimeZone, overlap, readTimeOfDay, type TimeWindow } from "../../billing/prices/time-window.ts";
import { allowedPrice, type Rate, readUsd } from "../../billing/prices/rate.ts";
import { list, readBy, section, text, wholeNumber } from "./fields.ts";

const maxTokens = 1_000_000_000;
const maxVariants = 100;
const maxConditions = 48;

export const rate = readBy(allowedPrice, (value) => readUsd(value) ?? undefined);

const variant = text(64, /^[A-Za-z0-9._:x/-]+$/, "default, a size such as 1024x1024, or quality/size");

/** One price, or a map of sizes, or of qualities and sizes, to prices. */
const variedRate = z.unknown().transform((value, context): Rate | VariantRates => {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    const read = readUsd(value);
    if (read !== null) return read;
    context.addIssue({ code: "custom", message: `${allowedPrice}, or a map of sizes to such prices` });
    return z.NEVER;
  }
  const rates: Record<string, Rate> = {};
  const entries = Object.entries(value);
  if (entries.length === 0 || entries.length > maxVariants) {
    context.addIssue({ code: "custom", message: `1 to ${maxVariants} sizes with their prices` });
  }
  for (const [name, each] of entries) {
    const read = readUsd(each);
    if (!variant.safeParse(name).success) {
      const allowed = "default, a size such as 1024x1024, or quality/size such as high/1024x1024";
      context.addIssue({ code: "custom", path: [name], message: `a price under one of these names: ${allowed}` });
    } else if (read === null) context.addIssue({ code: "custom", path: [name], message: allowedPrice });
    else rates[name] = read;
  }
  return rates;
});

const varied: ReadonlySet<string> = new Set(variedDimensions);

/** `search_unit` is another name for `web_search`, after the unit that is paid for. */
const priceNames: readonly (DimensionName | "search_unit")[] = [...dimensionNames, "search_unit"];

type PriceShape = Record<(typeof priceNames)[number], z.ZodOptional<z.ZodType<Rate | VariantRates>>>;

// `fromEntries` forgets which names it was given, and the conditional which of them varies.
const rates = Object.fromEntries(
  priceNames.map((name) => [name, (varied.has(name) ? variedRate : rate).optional()]),
) as unknown as PriceShape;

const tier = section({ above_input_tokens: wholeNumber(0, maxTokens, "tokens"), ...rates });

const tiers = list(tier, "tiers", maxConditions).superRefine((all, context) => {
  const seen = new Set<number>();
  all.forEach(({ above_input_tokens: above }, index) => {
    const path = [index, "above_input_tokens"];
    if (seen.has(above)) context.addIssue({ code: "custom", path, message: "each threshold once" });
    seen.add(above);
  });
});

const timeOfDay = (isEnd: boolean) =>
  readBy(`a time of day from 00:00 to ${isEnd ? "24:00" : "23:59"}, in quotes`, (value) =>
    typeof value === "string" && readTimeOfDay(value, isEnd) !== null ? value : undefined,
  );

const window = section({
  from: timeOfDay(false),
  to: timeOfDay(true),
  time_zone: readBy("the IANA name of a time zone, such as UTC or Europe/Berlin", (value) =>
    typeof value === "string" && isTimeZone(value) ? value : undefined,
  ).default("UTC"),
  ...rates,
});

type Window = z.output<typeof window>;

const windows = list(window, "windows", maxConditions).superRefine((all, context) => {
  all.forEach((each, index) => {
    const at = windowOf(each);
    if (at.fromMinute === at.toMinute) {
      context.addIssue({ code: "custom", path: [index, "to"], message: "another time than 'from'" });
    }
    const other = all.findIndex((earlier, place) => {
      return place < index && earlier.time_zone === each.time_zone && overlap(windowOf(earlier), at);
    });
    if (other >= 0) {
      const message = `a time outside of windows[${other}]: each minute has one price`;
      context.addIssue({ code: "custom", path: [index, "from"], message });
    }
  });
});

function windowOf({ from, to, time_zone: timeZone }: Window): TimeWindow {
  return { fromMinute: readTimeOfDay(from) ?? 0, toMinute: readTimeOfDay(to, true) ?? 0, timeZone };
}

const serviceTierName = text(64, /^[A-Za-z0-9._-]+$/, "a service tier's name, as the provider's answer has it,");

/** The prices of a model or a target. */
export const pricesSchema = section({
  ...rates,
  tiers: tiers.optional(),
  service_tiers: z
    .record(serviceTierName, section({ ...rates, tiers: tiers.optional() }), {
      error: "a map of service tiers to prices",
    })
    .optional(),
  windows: windows.optional(),
}).superRefine(refuseBothNames);

function refuseBothNames(prices: object, context: z.RefinementCtx): void {
  if ("search_unit" in prices && "web_search" in prices && prices.web_search !== undefined) {
    context.addIssue({ code: "custom", path: ["search_unit"], message: "web_search or search_unit, not both" });
  }
}

/** The document of checked prices: absent names are left out, and `search_unit` has its proper name. */
export function priceDocument(prices: z.output<typeof pricesSchema>): PriceDocument {
  // The schema has checked it; only what is absent goes.
  return present(prices) as PriceDocument;
}

function present(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(present);
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .filter(([, item]) => item !== undefined)
      .map(([name, item]) => [name === "search_unit" ? "web_search" : name, present(item)]),
  );
}
