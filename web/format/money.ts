/** Money as text. Amounts are whole micro-USD. */

/** An amount as it is shown: cents from a dollar on, below that as many places as it takes to see it. */
export function money(microusd: number): string {
  const size = Math.abs(microusd);
  const places = size % 10_000 === 0 || size >= 1_000_000 ? 2 : size >= 10_000 ? 4 : 6;
  return withPlaces(microusd, places);
}

/** An amount to the micro-dollar. */
export function exactMoney(microusd: number): string {
  return withPlaces(microusd, 6);
}

const formatOf = (places: number) =>
  new Intl.NumberFormat("en-US", { minimumFractionDigits: places, maximumFractionDigits: places });
/** A list shows hundreds of amounts, and a format is dear to make. */
const formats = { 2: formatOf(2), 4: formatOf(4), 6: formatOf(6) } as const;

function withPlaces(microusd: number, places: keyof typeof formats): string {
  const text = formats[places].format(Math.abs(microusd / 1_000_000));
  return `${microusd < 0 ? "−" : ""}$${text}`;
}

/** Reads an amount in dollars that was typed. Null if it is none. */
export function readMoney(text: string): number | null {
  const match = /^\s*\$?\s*(\d{1,9})(?:\.(\d{1,6}))?\s*$/.exec(text);
  if (!match) return null;
  const [, whole = "0", part = ""] = match;
  return Number(whole) * 1_000_000 + Number(part.padEnd(6, "0"));
}
