import type { SendTools } from "../../upstream/send.ts";

/** Resolves at a moment, given in milliseconds since 1970. Rejects with the signal's reason where that comes first. */
export async function waitUntil({ deadlines }: SendTools, at: number, cancelled: AbortSignal): Promise<void> {
  cancelled.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const deadline = deadlines.watch(at, resolve);
  const onCancelled = () => reject(cancelled.reason);
  cancelled.addEventListener("abort", onCancelled, { once: true });
  try {
    await promise;
  } finally {
    deadlines.unwatch(deadline);
    cancelled.removeEventListener("abort", onCancelled);
  }
}
