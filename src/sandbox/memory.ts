const maxEntries = 1_000;

/** Bounded storage by id. The oldest entries are dropped. */
export interface Memory {
  get(id: string): unknown;
  set(id: string, value: unknown): void;
  /** False if there was nothing. */
  delete(id: string): boolean;
  reset(): void;
}

export function createMemory(): Memory {
  const entries = new Map<string, unknown>();
  return {
    get: (id) => entries.get(id),
    set(id, value) {
      const [oldest] = entries.keys();
      if (entries.size >= maxEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(id, value);
    },
    delete: (id) => entries.delete(id),
    reset: () => entries.clear(),
  };
}
