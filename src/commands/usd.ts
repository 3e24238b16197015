/** Whole micro-USD as USD text: 2000000 is `2.00`, 25000 is `0.025`. */
export function formatUsd(microusd: number): string {
  const digits = String(microusd).padStart(7, "0");
  const fraction = digits.slice(-6).replace(/0+$/, "").padEnd(2, "0");
  return `${digits.slice(0, -6)}.${fraction}`;
}
