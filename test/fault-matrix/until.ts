const tries = 2_000;

/** Waits until a condition holds, asking every few milliseconds. Throws where it does not come to hold. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  for (let asked = 0; asked < tries; asked++) {
    if (await condition()) return;
    await Bun.sleep(5);
  }
  throw new Error(`Waited in vain until ${what}.`);
}
