import { noTags } from "../attribution/attribution.ts";
import type { Clock } from "../clock.ts";
import { invalidParameter } from "../errors.ts";
import { generateKey, hashKey } from "./key-format.ts";
import type { ApiKey, KeyLimits, KeyScopes, KeyStore } from "./key.ts";
import { isModelPattern } from "./scopes.ts";

/** The account of all keys that are not given another one. It always exists. */
const defaultAccountId = "default";

/** The settings of a new key. */
export interface KeySettings {
  readonly name: string;
  readonly scopes: KeyScopes;
  readonly limits: KeyLimits;
  /** Milliseconds since 1970; null for never. */
  readonly expiresAt: number | null;
  readonly admin: boolean;
  /** An account that exists; `default` if it is not given. */
  readonly accountId?: string;
}

/** A key with its new secret. `key` is the full key, which cannot be shown again. */
export interface IssuedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/**
 * Creates a key and stores everything except its secret.
 * @throws 400 naming the invalid setting
 */
export async function createKey(
  store: Pick<KeyStore, "insert">,
  settings: KeySettings,
  clock: Clock,
): Promise<IssuedKey> {
  const now = clock.now();
  checkSettings(settings, now);
  const { id, key } = generateKey();
  const apiKey: ApiKey = {
    id,
    name: settings.name,
    secretHash: hashKey(key),
    previousSecretHash: null,
    previousExpiresAt: null,
    createdAt: now,
    expiresAt: settings.expiresAt,
    disabledAt: null,
    scopes: settings.scopes,
    limits: settings.limits,
    admin: settings.admin,
    accountId: settings.accountId ?? defaultAccountId,
    tags: noTags,
  };
  await store.insert(apiKey);
  return { apiKey, key };
}

/**
 * Gives a key a new secret and keeps the rest. The old secret remains valid for `overlapMs` (0: it ends at once). An
 * older secret that was still in its overlap becomes invalid. Null if the key does not exist.
 */
export async function rotateKey(
  store: Pick<KeyStore, "find" | "update">,
  id: string,
  overlapMs: number,
  clock: Clock,
): Promise<IssuedKey | null> {
  const old = await store.find(id);
  if (old === null) return null;
  const { key } = generateKey(id);
  const overlaps = overlapMs > 0;
  const change = {
    secretHash: hashKey(key),
    previousSecretHash: overlaps ? old.secretHash : null,
    previousExpiresAt: overlaps ? clock.now() + overlapMs : null,
  };
  return (await store.update(id, change)) ? { apiKey: { ...old, ...change }, key } : null;
}

/** Disables a key. False if it does not exist. A key that is disabled already keeps its date. */
export async function disableKey(store: Pick<KeyStore, "find" | "update">, id: string, clock: Clock): Promise<boolean> {
  const key = await store.find(id);
  if (key === null) return false;
  return key.disabledAt !== null || store.update(id, { disabledAt: clock.now() });
}

function checkSettings({ name, scopes, limits, expiresAt }: KeySettings, now: number): void {
  if (name.trim() === "" || name.length > 200) throw invalidParameter("name", "1 to 200 characters");
  for (const [limitName, limit] of Object.entries(limits)) {
    if (limit !== null && !(Number.isSafeInteger(limit) && limit > 0)) {
      throw invalidParameter(`limits.${limitName}`, "a whole number above 0, or absent for no limit");
    }
  }
  const invalid = scopes.models?.find((pattern) => !isModelPattern(pattern));
  if (invalid !== undefined) {
    throw invalidParameter("scopes.models", `model names, 'prefix/*' or '*', not '${invalid.slice(0, 100)}'`);
  }
  if (scopes.endpoints?.includes("")) throw invalidParameter("scopes.endpoints", "endpoint names");
  if (expiresAt !== null && !(expiresAt > now)) throw invalidParameter("expiresAt", "a time in the future");
}
