/** The key of the explorer. It is in this page's memory alone, unless the user asks to keep it in the browser. */

const place = "tollgate.explorer-key";

let inMemory: string | null = null;

/** Takes a key over for the explorer, such as one that was just created. */
export function handOver(key: string): void {
  inMemory = key;
}

export function currentKey(): string {
  return inMemory ?? readKept() ?? "";
}

function readKept(): string | null {
  try {
    return localStorage.getItem(place);
  } catch {
    return null;
  }
}

export function isKept(): boolean {
  return readKept() !== null;
}

/** Keeps a key in this browser, or forgets the one that was kept. */
export function keep(key: string | null): void {
  if (key === null) localStorage.removeItem(place);
  else localStorage.setItem(place, key);
}
