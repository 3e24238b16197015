import type { FetchedSource, RemoteSource } from "../conversation/remote-sources.ts";
import { invalidRequest } from "../errors.ts";

/** STAND-IN: a helper writes the guarded fetch. */
export async function fetchMedia(sources: readonly RemoteSource[]): Promise<ReadonlyMap<string, FetchedSource>> {
  const [first] = sources;
  throw invalidRequest("unsupported_parameter", "Addresses are not fetched yet.", first?.path ?? null);
}
