import type { Clock } from "../../clock.ts";

/** Answers to searches, kept in the memory of this process for a while. */
export interface SearchCache {
  /** Null if there is none, or it is too old. */
  find(key: string): string | null;
  /** Keeps a text, and forgets the ones that have not been used for longest to make room for it. */
  keep(key: string, text: string): void;
}

export interface SearchCacheSettings {
  /** How long an answer is given again, in milliseconds. */
  readonly ttlMs: number;
  /** Memory of all answers together. */
  readonly maxBytes: number;
}

const maxEntries = 100_000;

/** One answer may take so much of the memory; a larger one is not kept. */
const maxShare = 1 / 8;

/** What an entry takes beside its texts, in bytes. */
const overhead = 200;

interface Entry {
  readonly text: string;
  readonly endsAt: number;
}

/** @param clock one that never steps back */
export function createSearchCache({ ttlMs, maxBytes }: SearchCacheSettings, clock: Clock): SearchCache {
  /** Those used last are last. */
  const entries = new Map<string, Entry>();
  let bytes = 0;

  const remove = (key: string) => {
    const entry = entries.get(key);
    if (entry === undefined) return;
    entries.delete(key);
    bytes -= sizeOf(key, entry.text);
  };

  return {
    find(key) {
      const entry = entries.get(key);
      if (entry === undefined) return null;
      if (entry.endsAt <= clock.now()) {
        remove(key);
        return null;
      }
      entries.delete(key);
      entries.set(key, entry);
      return entry.text;
    },
    keep(key, text) {
      remove(key);
      const size = sizeOf(key, text);
      if (size > maxBytes * maxShare) return;
      entries.set(key, { text, endsAt: clock.now() + ttlMs });
      bytes += size;
      for (const oldest of entries.keys()) {
        if (bytes <= maxBytes && entries.size <= maxEntries) break;
        remove(oldest);
      }
    },
  };
}

/** A character may take two bytes. */
function sizeOf(key: string, text: string): number {
  return 2 * (key.length + text.length) + overhead;
}
