import type { ModelPrices, Price, RateSet } from "../prices/prices.ts";

/** One price with the condition under which it applies, as the catalog and the command line show it. */
export interface ListedPrice {
  readonly dimension: string;
  readonly unit: string;
  readonly unit_size: number;
  readonly unit_microusd: number;
  /** A size, or quality and size. */
  readonly variant?: string;
  readonly above_input_tokens?: number;
  readonly service_tier?: string;
  readonly window?: string;
}

/** All prices of a model: the base prices first, then those under conditions. */
export function listPrices(prices: ModelPrices | null): ListedPrice[] {
  if (prices === null) return [];
  const { sizeTiers, serviceTiers, windows } = prices;
  return [
    ...listed(prices, {}),
    ...sizeTiers.toReversed().flatMap((tier) => listed(tier, { above_input_tokens: tier.aboveInputTokens })),
    ...Object.entries(serviceTiers).flatMap(([name, service]) => [
      ...listed(service, { service_tier: name }),
      ...service.sizeTiers
        .toReversed()
        .flatMap((tier) => listed(tier, { service_tier: name, above_input_tokens: tier.aboveInputTokens })),
    ]),
    ...windows.flatMap((each) => listed(each, { window: windowText(each.window) })),
  ];
}

/** The dimension of a price with its condition: `input (flex, above 200000 input tokens)`. */
export function priceLabel(price: ListedPrice): string {
  const { dimension, variant, service_tier: tier, above_input_tokens: above, window } = price;
  const size = above === undefined ? undefined : `above ${above} input tokens`;
  const conditions = [variant, tier, size, window].filter((each) => each !== undefined);
  return conditions.length === 0 ? dimension : `${dimension} (${conditions.join(", ")})`;
}

type Condition = Pick<ListedPrice, "above_input_tokens" | "service_tier" | "window">;

function listed({ rates, variants }: RateSet, condition: Condition): ListedPrice[] {
  return [
    ...Object.values(rates).map((price) => ({ ...view(price), ...condition })),
    ...Object.values(variants ?? {}).flatMap((named) =>
      Object.entries(named).map(([variant, price]) => ({ ...view(price), variant, ...condition })),
    ),
  ];
}

function view({ dimension, unit, unitMicrousd }: Price): ListedPrice {
  return { dimension, unit: unit.name, unit_size: unit.size, unit_microusd: unitMicrousd };
}

function windowText({ fromMinute, toMinute, timeZone }: ModelPrices["windows"][number]["window"]): string {
  return `${timeText(fromMinute)}-${timeText(toMinute)} ${timeZone}`;
}

function timeText(minute: number): string {
  return `${String(Math.floor(minute / 60)).padStart(2, "0")}:${String(minute % 60).padStart(2, "0")}`;
}
