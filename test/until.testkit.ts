const tries = 2_000;

/** Polls for up to 10 s until a condition holds. @throws if it does not, naming `what` was waited for */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; asked < tries; asked++) {
    if (await condition()) return;
    await Bun.sleep(5);
  }
  throw new Error(`Timed out waiting for: ${what}.`);
}
