/** How long opening waits for another process that is opening or migrating the same file. */
const patienceMs = 10_000;

/** Does it again while SQLite says that another connection holds the file; gives up after 10 s with SQLite's own error. */
export async function retryWhileBusy<T>(action: () => T | Promise<T>): Promise<T> {
  const deadline = performance.now() + patienceMs;
  for (;;) {
    try {
      return await action();
    } catch (error) {
      if (!isBusy(error) || performance.now() > deadline) throw error;
      await Bun.sleep(20);
    }
  }
}

function isBusy(error: unknown): boolean {
  return error instanceof Error && "code" in error && String(error.code).startsWith("SQLITE_BUSY");
}
