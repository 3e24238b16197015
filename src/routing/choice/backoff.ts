const firstMs = 250;
const longestMs = 8_000;

/**
 * How long to wait before a target is asked again, in milliseconds: anything between nothing and a bound that doubles with
 * each try, so that callers who failed together do not come back together.
 * @param tries how often it has failed already, from 1
 * @param random from 0 to below 1
 */
export function backoffMs(tries: number, random: number): number {
  return random * Math.min(longestMs, firstMs * 2 ** (tries - 1));
}
