// STAND-IN by the owner so that the gateway runs: overwrite this whole file with the real one.
import type { Clock } from "../clock.ts";
import type { ApiKey, KeyLimits, KeyScopes, KeyStore } from "./key.ts";
import { generateKey } from "./key-format.ts";
export async function createKey(store: KeyStore, o: { name: string; scopes: KeyScopes; limits: KeyLimits; expiresAt: number | null; admin: boolean }, clock: Clock): Promise<{ apiKey: ApiKey; key: string }> {
  const made = generateKey() as unknown as { id: string; key: string };
  const apiKey: ApiKey = { id: made.id, ...o, secretHash: new Bun.CryptoHasher("sha256").update(made.key).digest("hex"), previousSecretHash: null, previousExpiresAt: null, createdAt: clock.now(), disabledAt: null };
  await store.insert(apiKey);
  return { apiKey, key: made.key };
}
export async function rotateKey(): Promise<null> { return null; }
export async function disableKey(): Promise<boolean> { return false; }
