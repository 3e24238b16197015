import type { Actor } from "../changes/change.ts";
import type { BodyLogPolicy } from "./body-log-policy.ts";
import type { KeptBody } from "./kept-body.ts";

/** The bodies of one request. */
export interface RequestBodies {
  /** The request's: `req_...` */
  readonly id: string;
  readonly accountId: string;
  readonly request: KeptBody;
  readonly answer: KeptBody;
}

/** What is kept of an account's bodies. */
export interface BodyUsage {
  readonly bytes: number;
  readonly requests: number;
}

/** Keeps bodies, and the policies of accounts. Implemented by `src/storage`. */
export interface BodyStore {
  /** Those of all accounts that have ever had one, by the id of the account. */
  policies(): Promise<ReadonlyMap<string, BodyLogPolicy>>;
  findPolicy(accountId: string): Promise<BodyLogPolicy | null>;
  /** Sets the policy of an account that exists. @param action of the change in the audit trail */
  setPolicy(accountId: string, policy: BodyLogPolicy, by: Actor, action: BodyLogAction): Promise<void>;
  /** Keeps the bodies of a request, once, and removes the oldest of its account beyond `maxBytes`. */
  keep(bodies: RequestBodies, maxBytes: number): Promise<void>;
  /** The bodies of a request, if they are still to be kept. */
  find(id: string, now: number): Promise<RequestBodies | null>;
  /** False if there are none. */
  remove(id: string, by: Actor): Promise<boolean>;
  usage(accountId: string): Promise<BodyUsage>;
  /** Deletes up to `limit` that are no longer to be kept. Returns the number deleted. */
  deleteExpired(now: number, limit: number): Promise<number>;
}

export type BodyLogAction = "log_bodies" | "delete_bodies";

/** The time since which bodies are kept under a policy: milliseconds since 1970. */
export function keptSince({ retentionMs, clearedAt }: BodyLogPolicy, now: number): number {
  return Math.max(now - retentionMs, clearedAt ?? 0);
}
