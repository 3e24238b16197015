/**
 * Polls until a condition holds, for 10 s at least if not told otherwise.
 * @throws if it does not, naming `what` was waited for
 */
export async function until(what: string, condition: () => boolean | Promise<boolean>, minMs = 10_000): Promise<void> {
  for (let waitedMs = 0; waitedMs < minMs; waitedMs += 5) {
    if (await condition()) return;
    await Bun.sleep(5);
  }
  throw new Error(`Timed out waiting for: ${what}.`);
}
