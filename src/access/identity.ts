import type { ApiKey } from "./key.ts";
import { type CompiledScopes, compileScopes } from "./scopes.ts";

/** Who is calling: a key that has proved its secret, with what is worked out once per key. */
export interface Identity extends CompiledScopes {
  readonly key: ApiKey;
}

export function compileIdentity(key: ApiKey): Identity {
  return { key, ...compileScopes(key.scopes) };
}
