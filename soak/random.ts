/** A seeded random generator. */
export interface Random {
  /** From 0 to below 1. */
  next(): number;
  /** A whole number, both bounds included. */
  between(min: number, max: number): number;
  /** True with the given probability. */
  chance(share: number): boolean;
  one<Item>(items: readonly Item[]): Item;
}

/** Mulberry32. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return {
    next,
    between: (min, max) => min + Math.floor(next() * (max - min + 1)),
    chance: (share) => next() < share,
    one(items) {
      const item = items[Math.floor(next() * items.length)];
      if (item === undefined) throw new Error("there are no items");
      return item;
    },
  };
}
