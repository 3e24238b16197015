/** What a promise is rejected with, for tests. Throws if it resolves. */
export async function failureOf(promise: Promise<unknown>): Promise<unknown> {
  const outcome = await promise.then(
    () => null,
    (error: unknown) => ({ error }),
  );
  if (outcome === null) throw new Error("The promise resolved, and should have been rejected.");
  return outcome.error;
}
