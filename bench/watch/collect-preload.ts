/** Collects all garbage at each SIGWINCH; preloaded into a gateway whose memory is measured. */
process.on("SIGWINCH", () => Bun.gc(true));
