/** Bytes to be kept for a while. */
export interface KeptBytes {
  readonly size: number;
  /** Each call reads from the beginning. */
  readonly stream: () => AsyncIterable<Uint8Array>;
}

/** Links to contents that last an hour. They need no key, and cannot be guessed. */
export interface MediaLinks {
  /** A new link, whose content is not kept yet. `path` is below the gateway's origin. */
  create(): { readonly token: string; readonly path: string };
  /** Keeps the content of a link, durably. Rejects with a 507 if the disk is full, and a 503 if the storage does not answer. */
  keep(token: string, content: KeptBytes): Promise<void>;
}

/** What handling media that providers have made needs of the gateway. */
export interface MediaTools {
  readonly links: MediaLinks;
  /**
   * Fetches what a provider has made from an address of its answer. Addresses that are not public are refused, except at the
   * provider's own origin. `take` is told of every piece; if it resolves, the next one is read then. Throws an `Error` whose
   * message completes "could not be fetched: ...".
   */
  fetchMade(
    url: string,
    providerUrl: string,
    maxBytes: number,
    take: (bytes: number) => Promise<void> | undefined,
  ): Promise<Uint8Array>;
  /** Callers do not see which provider served them, so that no address of a provider may reach them. */
  readonly hideProvider: boolean;
}
