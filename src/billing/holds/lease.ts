/** A part of a prepaid balance that this process has reserved. Amounts are whole micro-USD. */
export class Lease {
  readonly id: string;
  readonly accountId: string;
  /** Milliseconds of the steady clock. */
  readonly startedAt: number;
  /** What no request holds. */
  freeMicrousd = 0;
  heldMicrousd = 0;
  /** No request is admitted on it later than this, by the steady clock: it may expire soon. */
  validUntil: number;
  /** Whether something was held since the last heartbeat. */
  isUsed = false;
  /** No request is admitted on it any more, and none held anything at the last heartbeat. */
  isQuiet = false;

  constructor(id: string, accountId: string, startedAt: number, validUntil: number) {
    this.id = id;
    this.accountId = accountId;
    this.startedAt = startedAt;
    this.validUntil = validUntil;
  }

  /** @param amountMicrousd at most what is free */
  hold(amountMicrousd: number): BalanceHold {
    this.freeMicrousd -= amountMicrousd;
    this.heldMicrousd += amountMicrousd;
    this.isUsed = true;
    return new BalanceHold(this, amountMicrousd);
  }
}

/** What one request holds of a prepaid balance. It ends once: by `settle`, or by `release` if nothing is charged. */
export class BalanceHold {
  readonly #lease: Lease;
  #amountMicrousd: number;
  #isOver = false;

  constructor(lease: Lease, amountMicrousd: number) {
    this.#lease = lease;
    this.#amountMicrousd = amountMicrousd;
  }

  get amountMicrousd(): number {
    return this.#amountMicrousd;
  }

  /** Names the lease in the request's record, which lowers it by the charge. */
  get leaseId(): string {
    return this.#lease.id;
  }

  /** Gives back a part, before anything is charged. */
  reduceTo(amountMicrousd: number): void {
    const surplus = this.#amountMicrousd - amountMicrousd;
    this.#amountMicrousd = amountMicrousd;
    this.#lease.heldMicrousd -= surplus;
    this.#lease.freeMicrousd += surplus;
  }

  /**
   * Replaces the hold by what the record takes from the lease: its charge, or all that was held if it is the record of a
   * job that goes on. Does nothing if the hold is over.
   */
  settle(spentMicrousd: number): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#lease.heldMicrousd -= this.#amountMicrousd;
    this.#lease.freeMicrousd += this.#amountMicrousd - spentMicrousd;
  }

  release(): void {
    this.settle(0);
  }
}
