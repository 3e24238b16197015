const waiting: (() => void)[] = [];

/**
 * Resolves in a later turn of the event loop, so that others are served between two pieces of long work. Of all that wait,
 * one goes on in each turn: together they would hold the loop for as long as without a pause.
 */
export function nextTurn(): Promise<void> {
  return new Promise((resolve) => {
    waiting.push(resolve);
    if (waiting.length === 1) setImmediate(serveOne);
  });
}

function serveOne(): void {
  const next = waiting.shift();
  if (waiting.length > 0) setImmediate(serveOne);
  next?.();
}
