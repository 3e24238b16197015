import { type BlobStore, newBlobKey } from "../blobs/blob-store.ts";
import { isDiskFull } from "../blobs/disk-errors.ts";
import type { Clock } from "../clock.ts";
import { GatewayError, notFound } from "../errors.ts";
import type { FileStore } from "./file-store.ts";

/** Bytes that a link leads to. */
export interface LinkedBytes {
  readonly size: number;
  /** Each call reads from the beginning. */
  readonly stream: () => AsyncIterable<Uint8Array>;
}

/** A content behind a link. */
export interface LinkedBlob {
  readonly key: string;
  readonly size: number;
}

/**
 * Links to contents, which need no key, cannot be guessed, and last an hour. A link is the claim on a blob of its own, under a digest of
 * the link's secret: once the claim has ended, the sweep of blobs removes the bytes.
 */
export interface Links {
  /** A new link, whose content is not kept yet. */
  create(): { readonly token: string; readonly path: string };
  /** Keeps the content of a link, durably. Rejects with a 507 if the disk is full, and a 503 if the storage does not answer. */
  keep(token: string, content: LinkedBytes): Promise<void>;
  /** Rejects with a 404 if there is no such link, or it has expired. */
  find(token: string): Promise<LinkedBlob>;
  /** The bytes of a content from `start` up to `end`. */
  read(key: string, start: number, end: number): AsyncIterable<Uint8Array>;
}

export interface LinksOptions {
  readonly store: Pick<FileStore, "claimBlob" | "findClaimed">;
  readonly blobs: BlobStore;
  readonly clock: Clock;
}

/** How long a link lasts, as OpenAI's do. */
const linkMs = 3_600_000;
const secretBytes = 32;

export function createLinks({ store, blobs, clock }: LinksOptions): Links {
  return {
    create() {
      const token = Buffer.from(crypto.getRandomValues(new Uint8Array(secretBytes))).toString("base64url");
      return { token, path: `/v1/media/${token}` };
    },
    async keep(token, { size, stream }) {
      const sha256 = digestOf(token);
      try {
        const key = await store.claimBlob({ sha256, key: newBlobKey(sha256), until: clock.now() + linkMs });
        await blobs.put(key, { size, sha256, stream, scratchFile: null });
      } catch (cause) {
        if (isDiskFull(cause) || cause instanceof GatewayError) throw cause;
        const message = "The link to an image cannot be kept at the moment.";
        throw GatewayError.of("storage_unavailable", message, { retryAfterSeconds: 5, cause });
      }
    },
    async find(token) {
      const key = isToken(token) ? await store.findClaimed(digestOf(token), clock.now()) : null;
      const size = key === null ? null : await blobs.size(key);
      if (key !== null && size !== null) return { key, size };
      throw notFound("file_not_found", "There is no such link, or it has expired.");
    },
    read: (key, start, end) => blobs.read(key, start, end),
  };
}

function isToken(text: string): boolean {
  return /^[\w-]{43}$/.test(text);
}

/** What is stored does not tell the links. */
function digestOf(token: string): string {
  return new Bun.CryptoHasher("sha256").update(`link ${token}`).digest("hex");
}
