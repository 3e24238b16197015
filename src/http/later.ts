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
  let index = 0;
  try {
    // Those that are added meanwhile are served in the same loop.
    for (; index < waiting.length; index++) waiting[index]?.runLater();
  } finally {
    // One that throws does not run again, and those behind it still do.
    if (index >= waiting.length - 1) waiting.length = 0;
    else {
      waiting.splice(0, index + 1);
      if (!scheduled) queueMicrotask(runAll);
      scheduled = true;
    }
  }
}
