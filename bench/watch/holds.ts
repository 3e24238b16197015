/** A turn of an event loop: from one mark to the next. Nanoseconds. */
export interface Turn {
  readonly wall: number;
  /** CPU time of the thread. */
  readonly cpu: number;
  /** How long the thread was ready to run and had no core. */
  readonly delay: number;
  /**
   * How long the loop was late for the timer that ended the turn, if it may have slept before the timer was due; null if
   * it cannot have slept.
   */
  readonly late: number | null;
}

/** How long the loop was held up by turns above a threshold. */
export interface Held {
  readonly aboveMilliseconds: number;
  readonly turns: number;
  /** Of all these turns together. */
  readonly milliseconds: number;
}

/** The observations of one window, in milliseconds. */
export interface LoopReport {
  readonly wall: number;
  readonly turns: number;
  /** Of the longest turn. */
  readonly longest: number;
  /** For each threshold, all turns above it: a turn of 12 ms is in three of them. */
  readonly held: readonly Held[];
  /** Of the time in turns above the first threshold, how much the thread neither ran nor waited for a core: it blocked. */
  readonly blocked: number;
  /** How long the thread waited for a core in the whole window. It is in none of the other figures. */
  readonly waitedForCore: number;
}

export const thresholds = [2, 5, 10, 50] as const;

/**
 * How long the turn held the loop by work of its own, in nanoseconds: running or blocking, but not waiting for a core.
 * If the loop may have slept, the CPU time of the whole turn is taken: at most 1 ms too much, never too little.
 */
export function ownTime({ wall, cpu, delay, late }: Turn): number {
  return late === null ? Math.max(0, wall - delay) : Math.max(cpu, late - delay);
}

/** Adds up turns, without an allocation for each. */
export function createTally() {
  const above = thresholds.map((milliseconds) => ({ milliseconds, turns: 0, time: 0 }));
  let [turns, longest, blocked, delayed] = [0, 0, 0, 0];
  return {
    add(turn: Turn): void {
      const own = ownTime(turn);
      turns++;
      delayed += turn.delay;
      if (own > longest) longest = own;
      if (own <= thresholds[0] * 1e6) return;
      blocked += Math.max(0, own - turn.cpu);
      for (const entry of above) {
        if (own <= entry.milliseconds * 1e6) break;
        entry.turns++;
        entry.time += own;
      }
    },
    /** The increase since the last call, in `wall` nanoseconds. */
    take(wall: number): LoopReport {
      const report = {
        wall: wall / 1e6,
        turns,
        longest: longest / 1e6,
        held: above.map((entry) => ({
          aboveMilliseconds: entry.milliseconds,
          turns: entry.turns,
          milliseconds: entry.time / 1e6,
        })),
        blocked: blocked / 1e6,
        waitedForCore: delayed / 1e6,
      };
      [turns, longest, blocked, delayed] = [0, 0, 0, 0];
      for (const entry of above) [entry.turns, entry.time] = [0, 0];
      return report;
    },
  };
}
