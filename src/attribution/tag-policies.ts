import type { Actor } from "../changes/change.ts";
import { followStored } from "../follow-stored.ts";
import type { Log } from "../log.ts";
import type { TagPolicy } from "./tag-policy.ts";

/** Keeps the policies of accounts. Implemented by `src/storage`. */
export interface TagPolicyStore {
  /** Those of all accounts that have one, by the id of the account. */
  all(): Promise<ReadonlyMap<string, TagPolicy>>;
  find(accountId: string): Promise<TagPolicy | null>;
  /** Sets or, by null, removes the policy of an account that exists. */
  set(accountId: string, policy: TagPolicy | null, by: Actor): Promise<void>;
}

/** The policies in force, as this process knows them. */
export interface TagPolicies {
  /** Null if the account has none. */
  of(accountId: string): TagPolicy | null;
}

export interface FollowedTagPolicies extends TagPolicies {
  /** Reads the storage now. Never rejects: what is known stays in force. */
  refresh(): Promise<void>;
  /** Resolves when the storage is no longer in use. */
  stop(): Promise<void>;
}

interface FollowOptions {
  readonly store: Pick<TagPolicyStore, "all">;
  readonly log: Pick<Log, "warn">;
  readonly intervalMs?: number;
}

/** Keeps the policies in force, also after changes by other processes: within a second. Resolves after the first read. */
export async function followTagPolicies({ store, log, intervalMs }: FollowOptions): Promise<FollowedTagPolicies> {
  const read = () => store.all();
  const followed = await followStored({ read, what: "The tag policies", log, ...(intervalMs && { intervalMs }) });
  return {
    of: (accountId) => followed.value.get(accountId) ?? null,
    refresh: followed.refresh,
    stop: followed.stop,
  };
}
