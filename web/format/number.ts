/** Numbers as text. */

const whole = new Intl.NumberFormat("en-US");
const short = new Intl.NumberFormat("en-US", { notation: "compact", maximumFractionDigits: 1 });
const percent = new Intl.NumberFormat("en-US", { style: "percent", maximumFractionDigits: 1 });

export function count(value: number): string {
  return whole.format(value);
}

/** A large number in a few characters: 12.3K. */
export function compact(value: number): string {
  return Math.abs(value) < 10_000 ? whole.format(Math.round(value * 100) / 100) : short.format(value);
}

/** A share of 0 to 1. */
export function share(value: number): string {
  return percent.format(value);
}

/** How long something took. */
export function milliseconds(value: number): string {
  if (value < 1_000) return `${Math.round(value)} ms`;
  const seconds = value / 1_000;
  return seconds < 60
    ? `${seconds.toFixed(seconds < 10 ? 2 : 1)} s`
    : `${Math.floor(seconds / 60)} min ${Math.round(seconds % 60)} s`;
}

/** A quantity with its unit: `26 tokens`. */
export function quantityOf(quantity: number, unit: string): string {
  const name = unit.replaceAll("_", " ");
  return `${quantity.toLocaleString("en-US")} ${quantity === 1 ? name : `${name}s`}`;
}

/** A size: 12.3 KB. */
export function bytes(value: number): string {
  if (value < 1_000) return `${value} B`;
  const [size, unit] = (
    [
      [1e9, "GB"],
      [1e6, "MB"],
      [1e3, "KB"],
    ] as const
  ).find(([each]) => value >= each) ?? [1, "B"];
  return `${(value / size).toFixed(value / size < 10 ? 1 : 0)} ${unit}`;
}
