import { describe, expect, test } from "bun:test";
import { authenticate } from "./authenticate.ts";
import { parseKey } from "./key-format.ts";
import type { ApiKey, KeyStore } from "./key.ts";
import { createKey, disableKey, type KeySettings, rotateKey } from "./manage.ts";
import { tester } from "../changes/actor.testkit.ts";

const settings: KeySettings = {
  name: "laptop",
  scopes: { models: ["a", "b/*"], endpoints: ["chat"] },
  limits: { requestsPerMinute: 60, tokensPerMinute: null, concurrentRequests: 4 },
  expiresAt: null,
  admin: false,
};

function memoryStore(): KeyStore & { readonly keys: Map<string, ApiKey> } {
  const keys = new Map<string, ApiKey>();
  return {
    keys,
    find: (id) => keys.get(id) ?? null,
    list: async () => [...keys.values()],
    page: async () => [],
    insert: async (key) => void keys.set(key.id, key),
    async update(id, decide) {
      const key = keys.get(id);
      if (key) keys.set(id, { ...key, ...decide(key) });
      return keys.get(id) ?? null;
    },
  };
}

function setUp() {
  const time = { now: 1_700_000_000_000 };
  const clock = { now: () => time.now };
  const store = memoryStore();
  const tryKey = (key: string) => {
    try {
      void authenticate(key, store, clock);
      return "good";
    } catch (error) {
      return (error as { code: string }).code;
    }
  };
  return { time, clock, store, tryKey };
}

describe("createKey", () => {
  test("creates a key that authenticates, and does not store its secret", async () => {
    const { clock, store, tryKey } = setUp();
    const { apiKey, key } = await createKey(store, settings, clock, tester);
    expect(parseKey(key)).toEqual({ id: apiKey.id });
    expect(tryKey(key)).toBe("good");
    expect(store.keys.get(apiKey.id)).toEqual(apiKey);
    expect(apiKey).toMatchObject({ ...settings, createdAt: clock.now(), disabledAt: null });
    expect(JSON.stringify(apiKey)).not.toContain(key.slice(17, 57));
  });

  test.each([
    ["name", { name: " " }],
    ["limits.requestsPerMinute", { limits: { ...settings.limits, requestsPerMinute: 0 } }],
    ["limits.tokensPerMinute", { limits: { ...settings.limits, tokensPerMinute: 1.5 } }],
    ["limits.concurrentRequests", { limits: { ...settings.limits, concurrentRequests: Number.NaN } }],
    ["scopes.models", { scopes: { models: ["gpt-*"], endpoints: null } }],
    ["scopes.endpoints", { scopes: { models: null, endpoints: [""] } }],
    ["expiresAt", { expiresAt: 1 }],
  ])("refuses a bad %s by name", async (param, change) => {
    const { clock, store } = setUp();
    const refusal = await createKey(store, { ...settings, ...change }, clock, tester).catch((error: unknown) => error);
    expect(refusal).toMatchObject({ status: 400, param });
    expect(store.keys.size).toBe(0);
  });
});

describe("rotateKey", () => {
  test("keeps the id and settings, and accepts both secrets during the overlap", async () => {
    const { time, clock, store, tryKey } = setUp();
    const before = await createKey(store, settings, clock, tester);
    const after = await rotateKey(store, before.apiKey.id, 1_000, clock, tester);
    expect(after?.apiKey).toMatchObject({ ...settings, id: before.apiKey.id, createdAt: before.apiKey.createdAt });
    expect([tryKey(before.key), tryKey(after?.key ?? "")]).toEqual(["good", "good"]);
    time.now += 1_000;
    expect([tryKey(before.key), tryKey(after?.key ?? "")]).toEqual(["invalid_api_key", "good"]);
  });

  test("without an overlap the old secret becomes invalid at once", async () => {
    const { clock, store, tryKey } = setUp();
    const before = await createKey(store, settings, clock, tester);
    const after = await rotateKey(store, before.apiKey.id, 0, clock, tester);
    expect([tryKey(before.key), tryKey(after?.key ?? "")]).toEqual(["invalid_api_key", "good"]);
    expect(after?.apiKey).toMatchObject({ previousSecretHash: null, previousExpiresAt: null });
  });

  test("returns null for an unknown key", async () => {
    const { clock, store } = setUp();
    expect(await rotateKey(store, "0123456789", 0, clock, tester)).toBeNull();
  });
});

describe("disableKey", () => {
  test("disables the key permanently", async () => {
    const { time, clock, store, tryKey } = setUp();
    const { apiKey, key } = await createKey(store, settings, clock, tester);
    expect(await disableKey(store, apiKey.id, clock, tester)).toMatchObject({ disabledAt: time.now });
    expect(tryKey(key)).toBe("disabled_api_key");
    const at = time.now;
    time.now += 5;
    expect(await disableKey(store, apiKey.id, clock, tester)).toMatchObject({ disabledAt: at });
    expect(store.keys.get(apiKey.id)?.disabledAt).toBe(at);
    expect(await disableKey(store, "0123456789", clock, tester)).toBeNull();
  });
});
