/** A part of a prepaid balance that one process has reserved, and takes holds from in memory. */
export interface LeaseRequest {
  readonly leaseId: string;
  readonly accountId: string;
  /** What requests wait for. Whole micro-USD. */
  readonly neededMicrousd: number;
  /** With what they are likely to need next; at least as much. */
  readonly wantedMicrousd: number;
  /** Milliseconds since 1970. */
  readonly now: number;
  readonly expiresAt: number;
  /** Until when other processes are to give back what they do not need, if this is not enough. */
  readonly recallUntil: number;
}

export interface Granted {
  /** Added to the lease; as much of what is needed as there is. */
  readonly grantedMicrousd: number;
  /** What is still free after that. */
  readonly freeMicrousd: number;
  /** The other leases of the account. */
  readonly elsewhere: readonly OtherLease[];
}

/** A lease of the same account, as its process has told the storage of it. */
export interface OtherLease {
  readonly amountMicrousd: number;
  readonly heldMicrousd: number;
  /** When it told what is held; 0 if it has not. */
  readonly reportedAt: number;
}

/** What a process tells of its lease. */
export interface LeaseState {
  readonly id: string;
  /** What its requests hold now. */
  readonly heldMicrousd: number;
}

/**
 * Keeps leases, shared by several processes. Implemented by `src/storage`. Records consume the lease that they name: see
 * `RecordStore.insertAll`. At every commit of a prepaid account, what is durably held and leased is at most its balance.
 */
export interface LeaseStore {
  /** Takes a new lease or adds to one. Null if there is no such account, or if it is not prepaid. */
  take(request: LeaseRequest): Promise<Granted | null>;
  /** Renews leases and returns the ids of those that are still there. */
  renew(leases: readonly LeaseState[], times: Pick<LeaseRequest, "now" | "expiresAt">): Promise<string[]>;
  /** Which of these leases are of accounts that others wait for. */
  recalled(leaseIds: readonly string[], now: number): Promise<string[]>;
  /** Takes from a lease what no request holds, and tells what is held of it. */
  giveBack(lease: LeaseState, amountMicrousd: number, now: number): Promise<void>;
  /** Ends leases; what is left of them is free. Unknown ids do nothing. */
  end(leaseIds: readonly string[]): Promise<void>;
  /** Leases that have expired. */
  expired(now: number): Promise<string[]>;
  /** Ends those of the leases that are expired still. */
  endExpired(leaseIds: readonly string[], now: number): Promise<void>;
}

/** What other processes may give back: of a lease whose holds were not told since `since`, that may be all of it. */
export function idleOf(leases: readonly OtherLease[], since: number): number {
  return leases.reduce((sum, { amountMicrousd, heldMicrousd, reportedAt }) => {
    return sum + (reportedAt <= since ? amountMicrousd : Math.max(0, amountMicrousd - heldMicrousd));
  }, 0);
}

/** The share of what is free that one process may take beyond what its requests wait for. */
const spareShare = 8;

/**
 * What a lease is given of what is free: all that is needed, and of what is wanted beyond that at most an eighth of the
 * rest, nothing while another process waits. If there is not enough, what there is.
 */
export function grant(
  freeMicrousd: number,
  { neededMicrousd, wantedMicrousd }: Pick<LeaseRequest, "neededMicrousd" | "wantedMicrousd">,
  isRecalled: boolean,
): number {
  const free = Math.max(0, freeMicrousd);
  if (free <= neededMicrousd) return free;
  const spare = isRecalled ? 0 : Math.floor((free - neededMicrousd) / spareShare);
  return neededMicrousd + Math.min(Math.max(0, wantedMicrousd - neededMicrousd), spare);
}
