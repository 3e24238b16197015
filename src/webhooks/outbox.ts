/** What happened, as it waits in the outbox: written in the transaction that made it happen. */
export interface OutboxEvent {
  /** The same at every attempt: receivers drop what they have seen. */
  readonly id: string;
  /** `usage.unpriced` */
  readonly kind: string;
  readonly accountId: string;
  /** JSON. */
  readonly payload: string;
  /** Milliseconds since 1970. */
  readonly createdAt: number;
  /** Failed ones. */
  readonly attempts: number;
  /** The keys of the webhooks that have taken it. */
  readonly deliveredTo: readonly string[];
}

/** An event as it is written: nothing has been tried yet. */
export type NewEvent = Omit<OutboxEvent, "attempts" | "deliveredTo">;

/** An event with what has become of it. */
export interface ListedEvent extends OutboxEvent {
  /** Null if nothing more is tried. */
  readonly nextAttemptAt: number | null;
  /** Null if some webhook does not have it. */
  readonly deliveredAt: number | null;
}

/** A page of events, newest first. */
export interface EventQuery {
  /** The id of the last event of the page before; null for the first page. */
  readonly after: string | null;
  readonly limit: number;
  readonly undelivered: boolean;
}

/** What becomes of an event after an attempt. */
export interface OutboxChange {
  readonly attempts: number;
  readonly deliveredTo: readonly string[];
  /** Null if all webhooks have it, or no more attempts are made. */
  readonly nextAttemptAt: number | null;
  /** Null if some webhook does not have it. */
  readonly deliveredAt: number | null;
}

/** The events that are to be delivered, shared by all processes on a storage. Implemented by `src/storage`. */
export interface Outbox {
  /**
   * Takes events that are due, but none of some accounts, oldest first. They are due again after the lease, unless they
   * are changed before: those of a process that dies are delivered by another one.
   */
  claim(now: number, leaseMs: number, limit: number, exceptAccounts?: readonly string[]): Promise<OutboxEvent[]>;
  change(id: string, change: OutboxChange): Promise<void>;
  list(query: EventQuery): Promise<ListedEvent[]>;
  /** Makes an event due for all webhooks as if it were new. Null if there is none of this id. */
  replay(id: string, now: number): Promise<ListedEvent | null>;
  /** Deletes up to `limit` events from before `aliveSince`, delivered or not. Returns the number deleted. */
  deleteExpired(aliveSince: number, limit: number): Promise<number>;
}
