/** The source of time, which tests can replace. Milliseconds since 1970. */
export interface Clock {
  now(): number;
}

export const systemClock: Clock = { now: () => Date.now() };

/** Time that neither steps back nor jumps when the system's clock is set: milliseconds since the process began. */
export const steadyClock: Clock = { now: () => performance.now() };
