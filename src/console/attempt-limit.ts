import { randomBytes } from "node:crypto";
import type { Clock } from "../clock.ts";

/** Counts attempts of callers and for users, within a memory that no number of either can fill. */
export interface AttemptLimit {
  /** Seconds until the next attempt may be made; 0: now. */
  waitSeconds(name: string): number;
  count(name: string): void;
  /** Takes one attempt back. */
  uncount(name: string): void;
  /** Forgets the attempts so far. */
  forget(name: string): void;
}

interface AttemptRules {
  /** Attempts within the window. */
  readonly max: number;
  /** Begins with the first attempt. */
  readonly windowMs: number;
}

const slots = 1 << 14;

/**
 * Names share a fixed number of counters, chosen by a hash that callers cannot foresee: two names rarely share one, and no one
 * can make room for more attempts by filling a table.
 * @param clock a steady one
 */
export function createAttemptLimit(clock: Clock, { max, windowMs }: AttemptRules): AttemptLimit {
  const salt = randomBytes(16);
  // Made by the first attempt: most gateways see none.
  let counts: Uint16Array | null = null;
  let endings: Float64Array | null = null;

  const slotOf = (name: string): number => {
    const hash = new Bun.CryptoHasher("sha256").update(salt).update(name).digest();
    return hash.readUInt32LE(0) % slots;
  };

  return {
    waitSeconds(name) {
      if (counts === null || endings === null) return 0;
      const slot = slotOf(name);
      const left = (endings[slot] ?? 0) - clock.now();
      return left > 0 && (counts[slot] ?? 0) >= max ? Math.ceil(left / 1000) : 0;
    },
    count(name) {
      counts ??= new Uint16Array(slots);
      endings ??= new Float64Array(slots);
      const slot = slotOf(name);
      const now = clock.now();
      const isOver = (endings[slot] ?? 0) <= now;
      if (isOver) endings[slot] = now + windowMs;
      counts[slot] = isOver ? 1 : Math.min((counts[slot] ?? 0) + 1, max);
    },
    uncount(name) {
      if (counts === null) return;
      const slot = slotOf(name);
      counts[slot] = Math.max(0, (counts[slot] ?? 0) - 1);
    },
    forget(name) {
      if (endings !== null) endings[slotOf(name)] = 0;
    },
  };
}
