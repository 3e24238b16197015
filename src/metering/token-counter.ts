/**
 * Counts tokens on a thread of its own. The tokenizer takes half a second to load and 100 MB to hold, and odd texts (a
 * long run of one letter) take it milliseconds for each thousand characters: on the main thread every running stream
 * would feel it. The thread starts at the first need, and ends after a minute without one, which gives the memory back.
 */

/** A message to the thread. */
export interface CountRequest {
  readonly id: number;
  readonly texts: readonly string[];
}

/** Its answer. */
export interface CountAnswer {
  readonly id: number;
  readonly tokens: number;
}

const maxWaiting = 256;
/** Counting must not delay the end of a request for long. */
const patienceMs = 10_000;
const idleMs = 60_000;

type Resolve = (tokens: number | null) => void;

const waiting = new Map<number, Resolve>();
let thread: Worker | null = null;
let nextId = 0;
let idleTimer: ReturnType<typeof setTimeout> | null = null;

/** The tokens of all texts together; null if too much is waiting, or the thread fails or is too slow. */
export function countInBackground(texts: readonly string[]): Promise<number | null> {
  if (waiting.size >= maxWaiting) return Promise.resolve(null);
  const { promise, resolve } = Promise.withResolvers<number | null>();
  const id = nextId++;
  const timer = setTimeout(() => answer(id, null), patienceMs);
  waiting.set(id, (tokens) => {
    clearTimeout(timer);
    resolve(tokens);
  });
  thread ??= startThread();
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
  thread.postMessage({ id, texts } satisfies CountRequest);
  return promise;
}

function startThread(): Worker {
  const started = new Worker(new URL("./token-counter-thread.ts", import.meta.url));
  // An idle thread keeps no process alive; a waiting request does, by its timer.
  started.unref();
  started.addEventListener("message", ({ data }: MessageEvent<CountAnswer>) => answer(data.id, data.tokens));
  const fail = () => {
    if (thread === started) stopThread();
  };
  started.addEventListener("error", fail);
  started.addEventListener("close", fail);
  return started;
}

function answer(id: number, tokens: number | null): void {
  waiting.get(id)?.(tokens);
  waiting.delete(id);
  if (waiting.size > 0) return;
  if (idleTimer !== null) clearTimeout(idleTimer);
  idleTimer = setTimeout(() => {
    if (waiting.size === 0) stopThread();
  }, idleMs);
  idleTimer.unref();
}

/** Ends the thread; what is waiting for it goes without an answer. The next need starts another. */
function stopThread(): void {
  thread?.terminate();
  thread = null;
  const unanswered = [...waiting.values()];
  waiting.clear();
  for (const resolve of unanswered) resolve(null);
}
