/** How long a caller waited at most for an answer that needs no storage, in milliseconds. */
export function longestHold(url: string, everyMs = 20): { stop(): Promise<number> } {
  let longest = 0;
  const state = { isStopped: false };
  const asked = (async () => {
    while (!state.isStopped) {
      const startedAt = performance.now();
      const answer = await fetch(`${url}/healthz`).catch(() => null);
      if (answer === null) return;
      await answer.text();
      longest = Math.max(longest, performance.now() - startedAt);
      await Bun.sleep(everyMs);
    }
  })();
  return {
    async stop() {
      state.isStopped = true;
      await asked;
      return longest;
    },
  };
}
