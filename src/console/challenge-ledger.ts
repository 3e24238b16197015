import type { Clock } from "../clock.ts";
import { networkOf } from "./network.ts";

/** Which challenges are stored, and for whom, so that they stay few without anyone being refused one. */
export interface ChallengeLedger {
  /** Notes a challenge, and returns the ids of those that have to make room for it. */
  add(id: string, address: string): readonly string[];
}

/** Longer than any challenge is valid. */
const lifetimeMs = 10 * 60_000;

/**
 * The address that holds the largest number of challenges loses its oldest one first: a stranger who asks for many takes room
 * from no one else.
 * @param clock a steady one
 * @param max challenges that are stored at once
 */
export function createChallengeLedger(clock: Clock, max: number): ChallengeLedger {
  /** Oldest first. */
  const challenges = new Map<string, { readonly network: string; readonly endsAt: number }>();
  /** The ids of each network, oldest first. */
  const byNetwork = new Map<string, Set<string>>();

  function drop(id: string, network: string): void {
    challenges.delete(id);
    const ids = byNetwork.get(network);
    ids?.delete(id);
    if (ids?.size === 0) byNetwork.delete(network);
  }

  function dropEnded(now: number): void {
    for (const [id, { network, endsAt }] of challenges) {
      if (endsAt > now) return;
      drop(id, network);
    }
  }

  function evict(): string[] {
    let largest: readonly [network: string, ids: ReadonlySet<string>] | null = null;
    for (const entry of byNetwork) {
      if (largest === null || entry[1].size > largest[1].size) largest = entry;
    }
    const [network = "", ids] = largest ?? [];
    const [oldest] = ids ?? [];
    if (oldest === undefined) return [];
    drop(oldest, network);
    return [oldest];
  }

  return {
    add(id, address) {
      const now = clock.now();
      dropEnded(now);
      const network = networkOf(address);
      challenges.set(id, { network, endsAt: now + lifetimeMs });
      const ids = byNetwork.get(network) ?? new Set();
      byNetwork.set(network, ids.add(id));
      return challenges.size > max ? evict() : [];
    },
  };
}
