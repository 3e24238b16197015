import { describe, expect, test } from "bun:test";
import { GatewayError } from "../errors.ts";
import { authenticate } from "./authenticate.ts";
import { generateKey, hashKey } from "./key-format.ts";
import { exampleKey } from "./key.testkit.ts";
import type { ApiKey } from "./key.ts";

const now = 1_700_000_000_000;
const clock = { now: () => now };
const { id, key } = generateKey();

function apiKey(change: Partial<ApiKey> = {}): ApiKey {
  return exampleKey({
    id,
    secretHash: hashKey(key),
    scopes: { models: ["a/*"], endpoints: ["chat"] },
    ...change,
  });
}

function storeOf(stored: ApiKey) {
  return { find: (wanted: string) => (wanted === stored.id ? stored : null) };
}

/** Returns the error code, after checking that it is a 401 that does not contain the key. */
function refusal(credential: string | null, stored: ApiKey): string | null {
  try {
    void authenticate(credential, storeOf(stored), clock);
  } catch (error) {
    if (!(error instanceof GatewayError)) throw error;
    expect(error.status).toBe(401);
    if (credential)
      expect(JSON.stringify([error.message, error.cause, error.param])).not.toContain(credential.slice(-20));
    return error.code;
  }
  return null;
}

describe("authenticate", () => {
  test("returns the identity synchronously, compiled once per key", () => {
    const store = storeOf(apiKey());
    const identity = authenticate(key, store, clock);
    expect(identity).not.toBeInstanceOf(Promise);
    expect(identity).toMatchObject({ key: { id, name: "test" } });
    expect(authenticate(key, store, clock)).toBe(identity);
    expect(authenticate(key, storeOf(apiKey()), clock)).not.toBe(identity);
  });

  test("awaits an asynchronous store", async () => {
    const found = authenticate(key, { find: async () => apiKey() }, clock);
    expect(found).toBeInstanceOf(Promise);
    expect((await found).key.id).toBe(id);
    const notFound = Promise.resolve(authenticate(key, { find: async () => null }, clock));
    expect(await notFound.catch((error: unknown) => error)).toMatchObject({ code: "invalid_api_key" });
  });

  test("rejects a missing, malformed, unknown or wrong key", () => {
    expect(refusal(null, apiKey())).toBe("missing_api_key");
    expect(refusal("", apiKey())).toBe("invalid_api_key");
    expect(refusal("sk-proj-something-else-entirely-and-long", apiKey())).toBe("invalid_api_key");
    expect(refusal(generateKey().key, apiKey())).toBe("invalid_api_key");
    expect(refusal(generateKey(id).key, apiKey())).toBe("invalid_api_key");
    expect(refusal(key.slice(0, -1), apiKey())).toBe("invalid_api_key");
  });

  test("distinguishes a malformed key from an unknown one", () => {
    const message = (credential: string) => {
      try {
        void authenticate(credential, storeOf(apiKey()), clock);
        return "";
      } catch (error) {
        return String(error);
      }
    };
    expect(message(key.slice(0, -6) + "000000")).toContain("Malformed");
    expect(message(generateKey().key)).toContain("Unknown");
  });

  test("rejects a disabled or expired key, and reveals its state only with the right secret", () => {
    expect(refusal(key, apiKey({ disabledAt: 1 }))).toBe("disabled_api_key");
    expect(refusal(key, apiKey({ expiresAt: now }))).toBe("expired_api_key");
    expect(refusal(key, apiKey({ expiresAt: now + 1 }))).toBeNull();
    expect(refusal(generateKey(id).key, apiKey({ disabledAt: 1 }))).toBe("invalid_api_key");
  });

  test("accepts the old secret until the overlap ends, and the new one always", () => {
    const old = generateKey(id).key;
    const rotated = apiKey({ previousSecretHash: hashKey(old), previousExpiresAt: now + 1 });
    expect(refusal(old, rotated)).toBeNull();
    expect(refusal(key, rotated)).toBeNull();
    expect(refusal(old, { ...rotated, previousExpiresAt: now })).toBe("invalid_api_key");
    expect(refusal(key, { ...rotated, previousExpiresAt: now })).toBeNull();
    expect(refusal(old, { ...rotated, disabledAt: 1 })).toBe("disabled_api_key");
  });

  test("does not match a damaged stored hash", () => {
    expect(() => authenticate(key, storeOf(apiKey({ secretHash: "" })), clock)).toThrow("stored API key hash");
  });
});
