/** Resolves in a later turn of the event loop, so that others are served between two pieces of long work. */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
