import type { Usage } from "./usage.ts";

/** All tokens of a request, read and written: what counts against a key's tokens per minute. */
export function tokensOf(usage: Usage): number {
  let tokens = 0;
  for (const { unit, quantity } of usage.dimensions) if (unit === "token") tokens += quantity;
  return tokens;
}
