import { describe, expect, test } from "bun:test";
import { GatewayError } from "../errors.ts";
import { authenticate } from "./authenticate.ts";
import { generateKey, hashKey } from "./key-format.ts";
import type { ApiKey } from "./key.ts";

const now = 1_700_000_000_000;
const clock = { now: () => now };
const { id, key } = generateKey();

function apiKey(change: Partial<ApiKey> = {}): ApiKey {
  return {
    id,
    name: "test",
    secretHash: hashKey(key),
    previousSecretHash: null,
    previousExpiresAt: null,
    createdAt: 0,
    expiresAt: null,
    disabledAt: null,
    scopes: { models: ["a/*"], endpoints: ["chat"] },
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    admin: false,
    ...change,
  };
}

function storeOf(stored: ApiKey) {
  return { find: (wanted: string) => (wanted === stored.id ? stored : null) };
}

/** The code of the refusal, after seeing that it is a 401 that does not repeat the key. */
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
  test("answers at once with who is calling, compiled once per key", () => {
    const store = storeOf(apiKey());
    const identity = authenticate(key, store, clock);
    expect(identity).not.toBeInstanceOf(Promise);
    expect(identity).toMatchObject({ key: { id, name: "test" } });
    expect(authenticate(key, store, clock)).toBe(identity);
    expect(authenticate(key, storeOf(apiKey()), clock)).not.toBe(identity);
  });

  test("waits for a store that needs to be waited for", async () => {
    const found = authenticate(key, { find: async () => apiKey() }, clock);
    expect(found).toBeInstanceOf(Promise);
    expect((await found).key.id).toBe(id);
    const notFound = Promise.resolve(authenticate(key, { find: async () => null }, clock));
    expect(await notFound.catch((error: unknown) => error)).toMatchObject({ code: "invalid_api_key" });
  });

  test("refuses no key, a malformed, an unknown and a wrong one", () => {
    expect(refusal(null, apiKey())).toBe("missing_api_key");
    expect(refusal("", apiKey())).toBe("invalid_api_key");
    expect(refusal("sk-proj-something-else-entirely-and-long", apiKey())).toBe("invalid_api_key");
    expect(refusal(generateKey().key, apiKey())).toBe("invalid_api_key");
    expect(refusal(generateKey(id).key, apiKey())).toBe("invalid_api_key");
    expect(refusal(key.slice(0, -1), apiKey())).toBe("invalid_api_key");
  });

  test("says whether the key was miscopied or is unknown", () => {
    const message = (credential: string) => {
      try {
        void authenticate(credential, storeOf(apiKey()), clock);
        return "";
      } catch (error) {
        return String(error);
      }
    };
    expect(message(key.slice(0, -6) + "000000")).toContain("mistyped");
    expect(message(generateKey().key)).toContain("not known");
  });

  test("refuses a key out of use, and only to its owner says why", () => {
    expect(refusal(key, apiKey({ disabledAt: 1 }))).toBe("disabled_api_key");
    expect(refusal(key, apiKey({ expiresAt: now }))).toBe("expired_api_key");
    expect(refusal(key, apiKey({ expiresAt: now + 1 }))).toBeNull();
    expect(refusal(generateKey(id).key, apiKey({ disabledAt: 1 }))).toBe("invalid_api_key");
  });

  test("takes the old secret until the overlap ends, and the new one always", () => {
    const old = generateKey(id).key;
    const rotated = apiKey({ previousSecretHash: hashKey(old), previousExpiresAt: now + 1 });
    expect(refusal(old, rotated)).toBeNull();
    expect(refusal(key, rotated)).toBeNull();
    expect(refusal(old, { ...rotated, previousExpiresAt: now })).toBe("invalid_api_key");
    expect(refusal(key, { ...rotated, previousExpiresAt: now })).toBeNull();
    expect(refusal(old, { ...rotated, disabledAt: 1 })).toBe("disabled_api_key");
  });

  test("does not take a damaged stored hash for a match", () => {
    expect(() => authenticate(key, storeOf(apiKey({ secretHash: "" })), clock)).toThrow("stored API key hash");
  });
});
