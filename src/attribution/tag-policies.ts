import type { Actor } from "../changes/change.ts";
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
export async function followTagPolicies({
  store,
  log,
  intervalMs = 1_000,
}: FollowOptions): Promise<FollowedTagPolicies> {
  let policies = await store.all();
  let running: Promise<void> | null = null;
  let isDown = false;

  async function load(): Promise<void> {
    try {
      policies = await store.all();
      isDown = false;
    } catch (error) {
      if (!isDown) log.warn({ error: String(error) }, "The tag policies cannot be read. The known ones stay in force.");
      isDown = true;
    } finally {
      running = null;
    }
  }

  const refresh = () => (running ??= load());
  const timer = setInterval(() => void refresh(), intervalMs);
  timer.unref();
  return {
    of: (accountId) => policies.get(accountId) ?? null,
    refresh,
    async stop() {
      clearInterval(timer);
      await running;
    },
  };
}
