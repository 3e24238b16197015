/** Whole micro-USD as USD: 2000000 is `2.00`, 25000 is `0.025`, -1 is `-0.000001`. */
export function formatUsd(microusd: number): string {
  const digits = String(Math.abs(microusd)).padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "").padEnd(2, "0");
  return `${microusd < 0 ? "-" : ""}${digits.slice(0, -6)}.${fraction}`;
}
