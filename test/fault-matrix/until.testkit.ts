const tries = 2_000;

/** Polls until a condition holds. Throws if it does not. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; asked < tries; asked++) {
    if (await condition()) return;
    await Bun.sleep(5);
  }
  throw new Error(`Waited in vain until ${what}.`);
}
