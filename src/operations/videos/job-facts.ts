import type { RemixSource } from "./video.ts";

/** What is known of a job before a provider has taken it on. */
export interface JobFacts {
  /** `video_...` */
  readonly id: string;
  readonly prompt: string;
  /** As the caller is shown them. */
  readonly seconds: string;
  readonly size: string;
  readonly remixedFrom: string | null;
}

/** Finds films that can be changed. */
export interface RemixSources {
  /** A finished film of the account. Rejects with 404 `video_not_found`, and 409 `not_ready` if it is not finished. */
  remixSource(accountId: string, id: string): Promise<RemixSource & RemixedFacts>;
}

/** What a new film takes over from the one that it changes. */
export interface RemixedFacts {
  /** The name that its caller asked for. */
  readonly requestedModel: string;
  readonly seconds: string;
  readonly size: string;
}
