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

function withPlaces(microusd: number, places: number): string {
  const text = Math.abs(microusd / 1_000_000).toLocaleString("en-US", {
    minimumFractionDigits: places,
    maximumFractionDigits: places,
  });
  return `${microusd < 0 ? "−" : ""}$${text}`;
}

/** Reads an amount in dollars that was typed. Null if it is none. */
export function readMoney(text: string): number | null {
  const match = /^\s*\$?\s*(\d{1,9})(?:\.(\d{1,6}))?\s*$/.exec(text);
  if (!match) return null;
  const [, whole = "0", part = ""] = match;
  return Number(whole) * 1_000_000 + Number(part.padEnd(6, "0"));
}
