/** Bounds of a server. All times are in milliseconds. */
export interface ServerLimits {
  readonly maxConnections: number;
  readonly maxHeadBytes: number;
  readonly maxHeaders: number;
  /** Bytes of further requests that may wait on a connection while one is answered, before it is no longer read. */
  readonly maxPipelinedBytes: number;
  /** Bytes of an answer that may wait for the caller before `write` says that there are enough. */
  readonly maxQueuedBytes: number;
  /** What is read of a body that no one wanted, so that its connection can carry another request. */
  readonly maxDiscardedBytes: number;
  /** From a connection's beginning, or the first byte of a head, until the head is complete. */
  readonly headMs: number;
  /**
   * Between the requests of a connection, and for the rest of a body that was not wanted. Longer than load balancers and
   * clients keep theirs (60 s and less), so that none sends a request on a connection that is being closed.
   */
  readonly idleMs: number;
  /** Between two pieces of a body. */
  readonly bodyIdleMs: number;
  /** How long a caller may take nothing of the rest of an answer that has been handed over. */
  readonly sendIdleMs: number;
  /** How long what a caller still sends is read and thrown away once it has been answered for the last time. */
  readonly lingerMs: number;
}

export const usualLimits: ServerLimits = {
  maxConnections: 16_384,
  maxHeadBytes: 32 << 10,
  maxHeaders: 100,
  maxPipelinedBytes: 64 << 10,
  maxQueuedBytes: 64 << 10,
  maxDiscardedBytes: 256 << 10,
  headMs: 10_000,
  idleMs: 75_000,
  bodyIdleMs: 60_000,
  sendIdleMs: 60_000,
  lingerMs: 5_000,
};
