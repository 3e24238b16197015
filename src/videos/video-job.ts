import type { JsonObject } from "../json/values.ts";
import type { NewEvent } from "../webhooks/outbox.ts";
import type { CompactRecord } from "../records/compact-record.ts";

/** As callers see it. The last two are terminal: they never change. */
export type VideoStatus = "queued" | "in_progress" | "completed" | "failed";

/**
 * What is to be done with a job. `submitting`: a process is asking providers. `uncertain`: whether a provider has taken it on is
 * not known. `running`: its provider is asked how it is. `late`: it has ended for its caller, and its provider may still
 * finish it. `over`: nothing.
 */
export type VideoPhase = "submitting" | "uncertain" | "running" | "late" | "over";

/** A film that is being made, or was. Times are milliseconds since 1970. */
export interface VideoJob {
  /** `video_` and 26 characters that sort by time. */
  readonly id: string;
  readonly accountId: string;
  /** The request that began it. Its record is pending until the job has ended. */
  readonly requestId: string;
  readonly createdAt: number;
  readonly status: VideoStatus;
  readonly phase: VideoPhase;
  /** When something is next to be done, or when another process may do it; null if nothing is. */
  readonly nextAt: number | null;
  /** Counts the changes: one that was made from an older state is refused. */
  readonly version: number;
  /** The provider that was asked last; empty before that. */
  readonly provider: string;
  /** The id at the provider; null if it is not known. */
  readonly providerJobId: string | null;
  /** The key of the film's bytes; null if there are none, or no longer. */
  readonly blobKey: string | null;
  /** When the film's bytes go; null if there are none. */
  readonly expiresAt: number | null;
  readonly endedAt: number | null;
  /** Its caller has deleted it, and does not see it any more. */
  readonly deletedAt: number | null;
  /** What its provider has charged for it though its caller does not pay, in whole micro-USD; null if nothing is known. */
  readonly providerCostMicrousd: number | null;
  readonly facts: VideoFacts;
}

/** What is known of a job beside what is looked for. */
export interface VideoFacts {
  /** The name that the caller asked for. */
  readonly model: string;
  readonly prompt: string;
  /** As asked for, until they are known. */
  readonly seconds: string;
  readonly size: string;
  /** What was charged at most; null before its end. A film that is made of it is as long. */
  readonly chargedSeconds: number | null;
  readonly remixedFrom: string | null;
  /** 0 to 100. */
  readonly progress: number;
  readonly error: { readonly code: string; readonly message: string } | null;
  /** The catalog's id of the model that serves it; null before a provider has taken it on. */
  readonly servedBy: string | null;
  /** The dialect in which its provider is asked. */
  readonly dialect: string | null;
  /** The provider's own name of the model. */
  readonly upstreamModel: string | null;
  /** Tells which of the provider's keys it was begun with; null if it takes none. */
  readonly credential: string | null;
  /** What the provider half needs to ask for it. */
  readonly providerData: JsonObject;
  /** When the last submit began; null before one. */
  readonly submittedAt: number | null;
  /** Of those that failed in a row. */
  readonly failedPolls: number;
  /** How often the finished film could not be copied. */
  readonly failedCopies: number;
  /** Its provider is still to be told that it is not needed any more. */
  readonly isCancelDue: boolean;
  readonly bytes: number;
  readonly contentType: string;
  /** Of the pending record's request, until it ends. */
  readonly idempotencyKey: string | null;
  readonly keyId: string;
}

/** A page of an account's jobs. */
export interface VideoQuery {
  readonly accountId: string;
  /** The id of the last job of the page before; null for the first page. */
  readonly after: string | null;
  readonly order: "asc" | "desc";
  readonly limit: number;
}

/** The end of a job, written in one transaction. */
export interface VideoEnd {
  /** The job as it has ended. */
  readonly job: VideoJob;
  /** The final record of its request. */
  readonly record: CompactRecord;
  /** For webhooks; null if nobody was told of the job. */
  readonly event: NewEvent | null;
}

/**
 * Stores jobs, shared by several processes. Implemented by `src/storage`. `now` is in milliseconds since 1970. A change is
 * made only to a job whose version is that of the one that is given, and adds one to it; otherwise it is false.
 */
export interface VideoJobStore {
  /** Inserts a job together with the pending record of its request. */
  create(job: VideoJob, record: CompactRecord): Promise<void>;
  change(job: VideoJob): Promise<boolean>;
  /** A provider has taken a job on: changes it, and the pending record of its request. */
  accept(job: VideoJob, record: CompactRecord): Promise<boolean>;
  /** Ends a job: changes it, makes the record final, and writes the event. False also if the film's bytes were given up. */
  end(end: VideoEnd): Promise<boolean>;
  /** The same for a job whose caller was never told of it: it is removed, and its `Idempotency-Key` is free again. */
  drop(end: VideoEnd): Promise<boolean>;
  /** Puts off when another process may take a job. Its version stays. */
  renew(job: Pick<VideoJob, "id" | "version">, until: number): Promise<void>;
  find(accountId: string, id: string): Promise<VideoJob | null>;
  /** Of any account. */
  findAnyones(id: string): Promise<VideoJob | null>;
  list(query: VideoQuery): Promise<VideoJob[]>;
  /** Of all accounts, newest first. */
  listAll(query: {
    readonly after: string | null;
    readonly limit: number;
    /** Only those with a cost that no caller pays. */
    readonly unpaid: boolean;
    /** Only those of this account, or in this status. */
    readonly accountId?: string | null;
    readonly status?: string | null;
  }): Promise<VideoJob[]>;
  /** Takes up to `limit` jobs of a provider that are due, the most overdue first. They are due again at `until`. */
  claim(provider: string, now: number, until: number, limit: number): Promise<VideoJob[]>;
  /** The providers of jobs that are due, except for those given. */
  otherProviders(known: readonly string[], now: number): Promise<string[]>;
  /** Whether a job has this id at any of these providers. */
  isKnown(providers: readonly string[], providerJobId: string): Promise<boolean>;
  /**
   * Whether another provider was asked for a film of the same prompt since a time, and it is not known whether it took that on.
   */
  hasTwin(job: Pick<VideoJob, "id" | "provider" | "facts">, since: number): Promise<boolean>;
  /** Makes a job due before all others. False if there is none that waits: it is over, due already, or being asked for. */
  wake(provider: string, providerJobId: string): Promise<boolean>;
  /** Gives the bytes of up to `limit` films up that have expired. Returns their number. */
  expire(now: number, limit: number): Promise<number>;
  /** Makes jobs due that are to wait beyond a time: the clock was set back. */
  bringForward(now: number, beyond: number): Promise<void>;
  /** Deletes up to `limit` jobs that ended long ago, and those that callers have deleted. Returns their number. */
  deleteOld(before: { readonly endedBefore: number; readonly deletedBefore: number }, limit: number): Promise<number>;
}
