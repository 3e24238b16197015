/**
 * The key of the explorer. It is in this page's memory alone, unless the user asks to keep it in the browser. Both belong to one
 * user, and end with its session.
 */

const place = "tollgate.explorer-key";

interface OwnedKey {
  /** The id of the user. */
  readonly user: string;
  readonly key: string;
}

let inMemory: OwnedKey | null = null;

/** Takes a key over for the explorer, such as one that was just created. */
export function handOver(user: string, key: string): void {
  inMemory = { user, key };
}

/** The key of a user; empty if it has given none. */
export function currentKey(user: string): string {
  if (inMemory?.user === user) return inMemory.key;
  return keptKey(user) ?? "";
}

export function isKept(user: string): boolean {
  return keptKey(user) !== null;
}

/** Keeps a key in this browser, or with null forgets the one that was kept. */
export function keep(user: string, key: string | null): void {
  try {
    if (key === null) localStorage.removeItem(place);
    else localStorage.setItem(place, JSON.stringify({ user, key } satisfies OwnedKey));
  } catch {
    // A browser without storage keeps nothing.
  }
}

/** Forgets every key of the explorer, in memory and kept. */
export function forgetKeys(): void {
  inMemory = null;
  keep("", null);
}

/** The kept key. One of another user is removed. */
function keptKey(user: string): string | null {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "null") as Partial<OwnedKey> | null;
    if (kept === null) return null;
    if (kept.user === user && typeof kept.key === "string") return kept.key;
  } catch {
    // What is no key of ours goes too.
  }
  keep("", null);
  return null;
}
