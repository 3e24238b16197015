/** The times of polling, in milliseconds. */
export interface PollTimes {
  /** How often the storage is asked for jobs that are due. */
  readonly tickMs: number;
  readonly minPollMs: number;
  readonly maxPollMs: number;
  /** How long a job is this process's once it has claimed it; renewed while it is at work. */
  readonly leaseMs: number;
  /** How long after an uncertain submit its job is looked for, and looked for again: a provider's list may be behind. */
  readonly listMs: number;
}

export const usualPollTimes: PollTimes = {
  tickMs: 500,
  minPollMs: 2_000,
  maxPollMs: 60_000,
  leaseMs: 15_000,
  listMs: 10_000,
};
