import type { PrepareAnswer, PrepareRequest } from "./body-thread.ts";
import type { KeptBody } from "./kept-body.ts";

/** A pair of bodies of some megabytes takes a second. */
const patienceMs = 20_000;
/** An idle thread ends, which gives its memory back. */
const idleMs = 60_000;

/** Makes of bodies what is kept of them, one request at a time, on a thread of its own. */
export interface BodyPreparer {
  /** Rejects if the thread fails or takes too long. To be called again only after the answer. */
  prepare(request: PrepareRequest): Promise<readonly KeptBody[]>;
  stop(): void;
}

/** Reading and searching bodies would hold up every running stream. The thread starts with the first body. */
export function createBodyPreparer(): BodyPreparer {
  let thread: Worker | null = null;
  let current: PromiseWithResolvers<readonly KeptBody[]> | null = null;
  let timer: ReturnType<typeof setTimeout> | null = null;

  function after(ms: number, work: () => void): void {
    if (timer !== null) clearTimeout(timer);
    timer = setTimeout(work, ms);
    timer.unref();
  }

  function stop(reason = "The thread was ended."): void {
    if (timer !== null) clearTimeout(timer);
    timer = null;
    thread?.terminate();
    thread = null;
    current?.reject(new Error(reason));
    current = null;
  }

  function start(): Worker {
    const started = new Worker(new URL("./body-thread.ts", import.meta.url));
    started.unref();
    started.addEventListener("message", ({ data }: MessageEvent<PrepareAnswer>) => {
      current?.resolve(data.kept);
      current = null;
      after(idleMs, stop);
    });
    started.addEventListener("error", ({ message }) => {
      if (thread === started) stop(message);
    });
    return started;
  }

  return {
    prepare(request) {
      current = Promise.withResolvers();
      after(patienceMs, () => stop("The thread took too long."));
      thread ??= start();
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
      thread.postMessage(request);
      return current.promise;
    },
    stop: () => stop(),
  };
}
