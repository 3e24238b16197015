import { noTags, type Tags } from "../attribution/attribution.ts";
import { problemOfTags } from "../attribution/tag-grammar.ts";
import type { Actor } from "../changes/change.ts";
import type { Clock } from "../clock.ts";
import { GatewayError, invalidParameter, invalidRequest } from "../errors.ts";
import { generateKey, hashKey } from "./key-format.ts";
import type { ApiKey, KeyChange, KeyLimits, KeyScopes, KeyStore } from "./key.ts";
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
  /** Fixed tags; none if not given. */
  readonly tags?: Tags;
}

/** A key with its new secret. `key` is the full key, which cannot be shown again. */
export interface IssuedKey {
  readonly apiKey: ApiKey;
  readonly key: string;
}

/** The settings of a key that change; those that are absent stay. */
export interface KeySettingsChange extends Partial<Omit<KeySettings, "scopes" | "limits">> {
  readonly scopes?: Partial<KeyScopes>;
  readonly limits?: Partial<KeyLimits>;
  readonly disabled?: boolean;
}

/** A key that rotates its own secret keeps the old one for at least so long: the answer with the new one may be lost. */
export const minOwnOverlapMs = 60_000;

/**
 * Creates a key and stores everything except its secret.
 * @throws 400 naming the invalid setting
 */
export async function createKey(
  store: Pick<KeyStore, "insert">,
  settings: KeySettings,
  clock: Clock,
  by: Actor,
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
    tags: settings.tags ?? noTags,
  };
  await store.insert(apiKey, by);
  return { apiKey, key };
}

/**
 * Changes the settings of a key. Null if it does not exist.
 * @throws 400 naming the invalid setting; 409 if a key would end its own access to the admin API
 */
export async function changeKey(
  store: Pick<KeyStore, "update">,
  id: string,
  settings: KeySettingsChange,
  clock: Clock,
  by: Actor,
): Promise<ApiKey | null> {
  const now = clock.now();
  const { disabled, scopes, limits, ...rest } = settings;
  const locksOut =
    disabled === true || rest.admin === false || typeof rest.expiresAt === "number" || !!scopes?.ipRanges;
  if (locksOut && isOwn(id, by)) {
    throw ownKey("cannot disable itself, expire, stop being an admin key, or limit where it is used from");
  }
  const decide = (key: ApiKey): KeyChange => {
    const disabledAt = disabled === undefined ? key.disabledAt : disabled ? (key.disabledAt ?? now) : null;
    const change = { ...rest, scopes: { ...key.scopes, ...scopes }, limits: { ...key.limits, ...limits } };
    // An expiry that has passed may stay as it is.
    checkSettings({ name: key.name, expiresAt: null, ...change }, now);
    return { ...change, disabledAt };
  };
  return store.update(id, decide, by);
}

/**
 * Gives a key a new secret and keeps the rest. The old secret remains valid for `overlapMs` (0: it ends at once). An
 * older secret that was still in its overlap becomes invalid. Null if the key does not exist.
 * @throws 409 if a key would lose its own secret at once
 */
export async function rotateKey(
  store: Pick<KeyStore, "update">,
  id: string,
  overlapMs: number,
  clock: Clock,
  by: Actor,
): Promise<IssuedKey | null> {
  if (isOwn(id, by) && overlapMs < minOwnOverlapMs) {
    throw ownKey("rotates its own secret with an overlap of at least 1m, in case the answer is lost");
  }
  const { key } = generateKey(id);
  const secretHash = hashKey(key);
  const overlaps = overlapMs > 0;
  const apiKey = await store.update(
    id,
    (old) => ({
      secretHash,
      previousSecretHash: overlaps ? old.secretHash : null,
      previousExpiresAt: overlaps ? clock.now() + overlapMs : null,
    }),
    by,
  );
  return apiKey && { apiKey, key };
}

/** Disables a key. Null if it does not exist. A key that is disabled already keeps its date. */
export async function disableKey(
  store: Pick<KeyStore, "update">,
  id: string,
  clock: Clock,
  by: Actor,
): Promise<ApiKey | null> {
  return changeKey(store, id, { disabled: true }, clock, by);
}

function isOwn(id: string, by: Actor): boolean {
  return by.kind === "key" && by.id === id;
}

function ownKey(what: string): GatewayError {
  return GatewayError.of("own_key", `The key of this request ${what}. Use another admin key, or the command line.`);
}

function checkSettings(
  { name, scopes, limits, expiresAt, tags = noTags }: Omit<KeySettings, "admin">,
  now: number,
): void {
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
  const tagProblem = problemOfTags(tags);
  if (tagProblem !== null) throw invalidRequest("invalid_parameter", `Invalid 'tags': ${tagProblem}.`, "tags");
  if (expiresAt !== null && !(expiresAt > now)) throw invalidParameter("expiresAt", "a time in the future");
}
