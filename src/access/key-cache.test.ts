import { beforeEach, describe, expect, test } from "bun:test";
import type { Log } from "../log.ts";
import type { ApiKey, KeyStore } from "./key.ts";
import { cacheKeys } from "./key-cache.ts";
import { exampleKey } from "./key.testkit.ts";

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
    page: async () => [],
    insert: async () => {},
    update: async () => null,
  };
  keys = cacheKeys(store, { clock: { now: () => now }, log });
});

const away = () => Promise.reject(new Error("The storage is away."));
const unavailable = { status: 503, code: "storage_unavailable", retryAfterSeconds: 5 };

/** Finds a key like a request does, whether or not the store returns a promise. */
async function find(id = "0123456789"): Promise<ApiKey | null> {
  return keys.find(id);
}

describe("while the storage is available", () => {
  test("its current answer counts", async () => {
    for (const said of [exampleKey(), exampleKey({ disabledAt: 1 }), null, exampleKey()]) {
      answer = () => said;
      expect(keys.find("0123456789")).toBe(said);
      answer = async () => said;
      expect(await find()).toBe(said);
    }
    expect(warnings).toBe(0);
  });
});

describe("while the storage is unavailable", () => {
  test("a known key keeps working, and an unknown one is a 503", async () => {
    const key = exampleKey();
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

  test("a key removed earlier is not accepted", async () => {
    answer = () => exampleKey();
    await find();
    answer = () => null;
    await find();
    answer = away;
    expect(find()).rejects.toMatchObject(unavailable);
  });

  test("it is tried once a second, and other requests do not wait for it", async () => {
    const key = exampleKey();
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

  test("its answers count again as soon as it is available", async () => {
    answer = () => exampleKey();
    await find();
    answer = away;
    await find();
    now += 1_001;
    const disabled = exampleKey({ disabledAt: 1 });
    answer = () => disabled;
    expect(keys.find("0123456789")).toBe(disabled);
    answer = () => null;
    expect(keys.find("0123456789")).toBeNull();
  });
});
