/**
 * Asks a thread of its own for one answer, and ends it. For work that would hold up every running stream.
 * @throws if the thread fails, or has no answer within `patienceMs`
 */
export async function askThread<Answer>(file: URL, question: unknown, patienceMs: number): Promise<Answer> {
  const thread = new Worker(file);
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const timer = setTimeout(() => reject(new Error("The thread took too long.")), patienceMs);
  thread.addEventListener("message", ({ data }: MessageEvent<Answer>) => resolve(data));
  thread.addEventListener("error", ({ message }) => reject(new Error(message)));
  try {
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- threads have no origin
    thread.postMessage(question);
    return await promise;
  } finally {
    clearTimeout(timer);
    thread.terminate();
  }
}
