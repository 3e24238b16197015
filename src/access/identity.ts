import { type Attribution, tagsToText, unattributed } from "../attribution/attribution.ts";
import type { ApiKey } from "./key.ts";
import { type CompiledScopes, compileScopes } from "./scopes.ts";

/** An authenticated key, with its scopes compiled once per key. */
export interface Identity extends CompiledScopes {
  readonly key: ApiKey;
  /** What is said of all its requests: its fixed tags. */
  readonly attribution: Attribution;
}

export function compileIdentity(key: ApiKey): Identity {
  const tags = tagsToText(key.tags);
  const attribution = tags === null ? unattributed : { ...unattributed, tags };
  return { key, attribution, ...compileScopes(key.scopes) };
}
