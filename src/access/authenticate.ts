import { timingSafeEqual } from "node:crypto";
import type { Clock } from "../clock.ts";
import { authenticationError } from "../errors.ts";
import { compileIdentity, type Identity } from "./identity.ts";
import { keyIdOf, keyPrefix, parseKey } from "./key-format.ts";
import type { ApiKey, KeyStore } from "./key.ts";
import { vendorOfKey } from "./credentials.ts";

interface CompiledKey {
  readonly identity: Identity;
  readonly hash: Buffer;
  readonly previousHash: Buffer | null;
}

/** Keyed by the store's object. A changed key is a new object, so no stale entry is used. */
const compiledKeys = new WeakMap<ApiKey, CompiledKey>();

/** Scratch buffer for the hash of the current key; read synchronously. */
const hashBuffer = Buffer.alloc(32);

/**
 * Verifies the caller's key. Returns without a promise if the store does.
 * @param credential the result of `readCredential`
 * @throws 401 `missing_api_key`, `invalid_api_key`, `disabled_api_key` or `expired_api_key`; the
 *   state of a key is revealed only to a caller that knows its secret
 */
export function authenticate(
  credential: string | null,
  store: Pick<KeyStore, "find">,
  clock: Clock,
): Identity | Promise<Identity> {
  if (credential === null) {
    throw authenticationError("missing_api_key", "Missing API key. Send it as 'Authorization: Bearer <API key>'.");
  }
  const id = keyIdOf(credential);
  if (id === null) throw invalidKey(credential);
  const found = store.find(id);
  if (found instanceof Promise) return found.then((key) => verify(credential, key, clock.now()));
  return verify(credential, found, clock.now());
}

function verify(credential: string, key: ApiKey | null, now: number): Identity {
  if (key === null) throw invalidKey(credential);
  const compiled = compile(key);
  Bun.CryptoHasher.hash("sha256", credential, hashBuffer);
  if (!timingSafeEqual(hashBuffer, compiled.hash) && !matchesPrevious(compiled, now)) throw invalidKey(credential);
  if (key.disabledAt !== null) {
    throw authenticationError("disabled_api_key", "This API key is disabled.");
  }
  if (key.expiresAt !== null && key.expiresAt <= now) {
    const expired = new Date(key.expiresAt).toISOString();
    throw authenticationError("expired_api_key", `This API key expired at ${expired}.`);
  }
  return compiled.identity;
}

function matchesPrevious({ identity, previousHash }: CompiledKey, now: number): boolean {
  const until = identity.key.previousExpiresAt;
  return previousHash !== null && until !== null && now < until && timingSafeEqual(hashBuffer, previousHash);
}

function compile(key: ApiKey): CompiledKey {
  const known = compiledKeys.get(key);
  if (known !== undefined) return known;
  const compiled = {
    identity: compileIdentity(key),
    hash: storedHash(key.secretHash),
    previousHash: key.previousSecretHash === null ? null : storedHash(key.previousSecretHash),
  };
  compiledKeys.set(key, compiled);
  return compiled;
}

function storedHash(hex: string): Buffer {
  const hash = Buffer.from(hex, "hex");
  if (hash.length !== 32) throw new Error("A stored API key hash is not 64 hexadecimal digits.");
  return hash;
}

function invalidKey(credential: string) {
  const foreign = vendorOfKey(credential);
  if (foreign !== null) {
    const { vendor, prefix } = foreign;
    const message = `This is a key of ${vendor} (${prefix}...), not one of this gateway, whose keys begin with '${keyPrefix}'. Keys of vendors belong in the gateway's configuration.`;
    return authenticationError("invalid_api_key", message);
  }
  const message =
    parseKey(credential) === null
      ? "Malformed API key. A key is 'sk-tg-' followed by 57 characters: check that it was copied completely."
      : "Unknown API key. It may have been rotated or removed, or belong to another gateway.";
  return authenticationError("invalid_api_key", message);
}
