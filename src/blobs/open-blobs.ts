import { join } from "node:path";
import type { BlobStore } from "./blob-store.ts";
import { createFileBlobs } from "./file-blobs.ts";
import { openScratch, type Scratch } from "./scratch.ts";

/** Where blobs and scratch files are kept. */
export interface OpenBlobs {
  readonly blobs: BlobStore;
  readonly scratch: Scratch;
}

/** Opens the blobs at a URL: `file:` and the path of a folder. Throws if the URL is of another kind. */
export async function openBlobs(url: string): Promise<OpenBlobs> {
  const folder = folderOf(url);
  if (folder === null) throw new Error("The URL of the blobs is not one of a folder.");
  // Beneath the blobs, so that a file is moved to them and not copied.
  const scratch = await openScratch(join(folder, "scratch"));
  return { blobs: createFileBlobs(folder, scratch), scratch };
}

/** The folder of a `file:` URL; null if it is none. */
export function folderOf(url: string): string | null {
  return /^file:(?:\/\/(?=\/))?([^\0]+)$/.exec(url)?.[1] ?? null;
}
