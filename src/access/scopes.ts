import { compileIpRanges, type IpRanges } from "./ip-range.ts";
import type { KeyScopes } from "./key.ts";

/** A key's scopes, compiled for fast lookups. Null means all. */
export interface CompiledScopes {
  readonly models: ModelMatcher | null;
  readonly endpoints: ReadonlySet<string> | null;
  readonly domains: ReadonlySet<string> | null;
  readonly ipRanges: IpRanges | null;
}

interface ModelMatcher {
  readonly names: ReadonlySet<string>;
  /** Each ends in a slash. */
  readonly prefixes: readonly string[];
}

/** Compiles the scopes once per key. The model `*` means all; `b/*` any depth below `b/`. */
export function compileScopes(scopes: KeyScopes): CompiledScopes {
  return {
    models: scopes.models === null || scopes.models.includes("*") ? null : compileModels(scopes.models),
    endpoints: scopes.endpoints === null ? null : new Set(scopes.endpoints),
    domains: scopes.domains ? new Set(scopes.domains) : null,
    ipRanges: scopes.ipRanges ? compileIpRanges(scopes.ipRanges) : null,
  };
}

/** Whether the key may use this model, alias or policy, by its name in the catalog. */
export function allowsModel(scopes: CompiledScopes, modelId: string): boolean {
  if (scopes.models === null || scopes.models.names.has(modelId)) return true;
  return scopes.models.prefixes.some((prefix) => modelId.length > prefix.length && modelId.startsWith(prefix));
}

/** Whether the key may use this endpoint, by its name in `supported_endpoint_types`. */
export function allowsEndpoint(scopes: CompiledScopes, name: string): boolean {
  return scopes.endpoints === null || scopes.endpoints.has(name);
}

/** Whether this is valid in a key's model scope: a name, `prefix/*`, or `*`. */
export function isModelPattern(pattern: string): boolean {
  return pattern === "*" || /^[^*]+(\/\*)?$/.test(pattern);
}

function compileModels(patterns: readonly string[]): ModelMatcher {
  const isPrefix = (pattern: string) => pattern.endsWith("/*");
  return {
    names: new Set(patterns.filter((pattern) => !isPrefix(pattern))),
    prefixes: patterns.filter(isPrefix).map((pattern) => pattern.slice(0, -1)),
  };
}
