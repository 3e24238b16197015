/** Something that must not happen within the caller's own call. */
export interface Later {
  runLater(): void;
}

const waiting: Later[] = [];
let scheduled = false;

/** Calls `later.runLater()` when the code that runs now has returned. One microtask serves all that wait. */
export function soon(later: Later): void {
  waiting.push(later);
  if (scheduled) return;
  scheduled = true;
  queueMicrotask(runAll);
}

function runAll(): void {
  scheduled = false;
  // Those that are added meanwhile are served in the same loop.
  for (let index = 0; index < waiting.length; index++) waiting[index]?.runLater();
  waiting.length = 0;
}
