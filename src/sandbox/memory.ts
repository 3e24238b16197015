const mostEntries = 1_000;

/** What a sandbox keeps from one request to the next, by id. The oldest entries give way. */
export interface Memory {
  get(id: string): unknown;
  set(id: string, value: unknown): void;
  /** False where there was nothing. */
  delete(id: string): boolean;
  reset(): void;
}

export function createMemory(): Memory {
  const entries = new Map<string, unknown>();
  return {
    get: (id) => entries.get(id),
    set(id, value) {
      const [oldest] = entries.keys();
      if (entries.size >= mostEntries && oldest !== undefined) entries.delete(oldest);
      entries.set(id, value);
    },
    delete: (id) => entries.delete(id),
    reset: () => entries.clear(),
  };
}
