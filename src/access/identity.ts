import type { ApiKey } from "./key.ts";
import { type CompiledScopes, compileScopes } from "./scopes.ts";

/** An authenticated key, with its scopes compiled once per key. */
export interface Identity extends CompiledScopes {
  readonly key: ApiKey;
}

export function compileIdentity(key: ApiKey): Identity {
  return { key, ...compileScopes(key.scopes) };
}
