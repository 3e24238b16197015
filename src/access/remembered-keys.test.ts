import { beforeEach, describe, expect, test } from "bun:test";
import type { Log } from "../log.ts";
import type { ApiKey, KeyStore } from "./key.ts";
import { rememberKeys } from "./remembered-keys.ts";

let now: number;
let warnings: number;
let asked: number;
let answer: () => ApiKey | null | Promise<ApiKey | null>;
let keys: KeyStore;

beforeEach(() => {
  now = 1_000_000;
  warnings = 0;
  asked = 0;
  const silent = () => undefined;
  const log: Log = {
    debug: silent,
    info: silent,
    warn: () => void warnings++,
    error: silent,
    request: silent,
    flush: async () => {},
  };
  const store: KeyStore = {
    find() {
      asked++;
      return answer();
    },
    list: async () => [],
    insert: async () => {},
    update: async () => false,
  };
  keys = rememberKeys(store, { clock: { now: () => now }, log });
});

const away = () => Promise.reject(new Error("The storage is away."));
const unavailable = { status: 503, code: "storage_unavailable", retryAfterSeconds: 5 };

function makeKey(change: Partial<ApiKey> = {}): ApiKey {
  return {
    id: "0123456789",
    name: "test",
    secretHash: "0".repeat(64),
    previousSecretHash: null,
    previousExpiresAt: null,
    createdAt: 0,
    expiresAt: null,
    disabledAt: null,
    scopes: { models: null, endpoints: null },
    limits: { requestsPerMinute: null, tokensPerMinute: null, concurrentRequests: null },
    admin: false,
    ...change,
  };
}

/** Asks as a request does, whether the answer comes at once or not. */
async function find(id = "0123456789"): Promise<ApiKey | null> {
  return keys.find(id);
}

describe("while the storage answers", () => {
  test("its word alone counts, also when it changes its mind", async () => {
    for (const said of [makeKey(), makeKey({ disabledAt: 1 }), null, makeKey()]) {
      answer = () => said;
      expect(keys.find("0123456789")).toBe(said);
      answer = async () => said;
      expect(await find()).toBe(said);
    }
    expect(warnings).toBe(0);
  });
});

describe("while the storage is away", () => {
  test("a key that was seen serves as it was, and one that was not is a 503", async () => {
    const key = makeKey();
    answer = () => key;
    await find();
    answer = away;
    expect(await find()).toBe(key);
    expect(find("9876543210")).rejects.toMatchObject(unavailable);
    answer = () => {
      throw new Error("The disk is gone.");
    };
    now += 1_001;
    expect(await find()).toBe(key);
    expect(warnings).toBe(1);
  });

  test("a key that was removed before is not remembered", async () => {
    answer = () => makeKey();
    await find();
    answer = () => null;
    await find();
    answer = away;
    expect(find()).rejects.toMatchObject(unavailable);
  });

  test("it is asked once a second, and nobody else waits for it", async () => {
    const key = makeKey();
    answer = () => key;
    await find();
    answer = away;
    await find();
    asked = 0;
    for (let times = 0; times < 5; times++) expect(keys.find("0123456789")).toBe(key);
    expect(asked).toBe(0);
    now += 1_001;
    answer = () => new Promise(() => {});
    const patient = find();
    for (let times = 0; times < 5; times++) expect(keys.find("0123456789")).toBe(key);
    expect(asked).toBe(1);
    expect(await patient).toBe(key);
  });

  test("as soon as it answers again, its word counts", async () => {
    answer = () => makeKey();
    await find();
    answer = away;
    await find();
    now += 1_001;
    const disabled = makeKey({ disabledAt: 1 });
    answer = () => disabled;
    expect(keys.find("0123456789")).toBe(disabled);
    answer = () => null;
    expect(keys.find("0123456789")).toBeNull();
  });
});
