/** What is left to chance, the same in every run with the same seed. */
export interface Lots {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both bounds included. */
  between(least: number, most: number): number;
  /** True in so many cases of 1. */
  chance(share: number): boolean;
  one<Item>(items: readonly Item[]): Item;
}

/** Mulberry32: small, and even enough to mix requests. */
export function drawLots(seed: number): Lots {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (least, most) => least + Math.floor(next() * (most - least + 1)),
    chance: (share) => next() < share,
    one(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("there is nothing to draw from");
      return item;
    },
  };
}
