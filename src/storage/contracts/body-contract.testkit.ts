import { expect, test } from "bun:test";
import { type BodyLogPolicy, usualBodyLogPolicy } from "../../bodies/body-log-policy.ts";
import type { RequestBodies } from "../../bodies/body-store.ts";
import type { KeptBody } from "../../bodies/kept-body.ts";
import { tester } from "../../changes/actor.testkit.ts";
import { newRequestId } from "../../identifiers.ts";
import type { Storage } from "../storage.ts";

const hourMs = 3_600_000;
const now = 1_000 * hourMs;
const maxBytes = 1 << 30;

const body = (text: string): KeptBody => {
  return { contentType: "text/plain", bytes: text.length, text, omitted: null, isTruncated: false, redactions: 0 };
};

/** Tests that every store of bodies must pass. `other` is the same database as seen by another process. */
export function bodyContract(storages: () => { readonly storage: Storage; readonly other: Storage }): void {
  const stores = () => ({ store: storages().storage.bodies, other: storages().other.bodies });
  let accounts = 0;
  const newAccount = async (change: Partial<BodyLogPolicy> = {}) => {
    const id = `bodies-${(accounts += 1)}`;
    const account = { id, name: id, mode: "unlimited", markupBasisPoints: 0, createdAt: 1 } as const;
    await storages().storage.accounts.create(account, tester);
    await stores().store.setPolicy(id, { ...usualBodyLogPolicy, enabled: true, ...change }, tester, "log_bodies");
    return id;
  };
  const bodiesAt = (accountId: string, ms: number, text = "text"): RequestBodies => {
    return { id: newRequestId(ms), accountId, request: body(`${text}?`), answer: body(`${text}!`) };
  };

  test("bodies are kept once, and found until they are removed", async () => {
    const { store, other } = stores();
    const accountId = await newAccount();
    const bodies = bodiesAt(accountId, now, "größer \u{1F600}");
    await store.keep(bodies, maxBytes);
    await other.keep({ ...bodies, answer: body("another") }, maxBytes);
    expect(await other.find(bodies.id, now)).toEqual(bodies);
    const usage = await other.usage(accountId);
    expect(usage.requests).toBe(1);
    expect(usage.bytes).toBeGreaterThan(100);
    expect(await store.remove(bodies.id, tester)).toBe(true);
    expect(await other.remove(bodies.id, tester)).toBe(false);
    expect(await other.find(bodies.id, now)).toBeNull();
    expect(await other.usage(accountId)).toEqual({ bytes: 0, requests: 0 });
    const [change] = await storages().storage.changes.list({ kind: "account", id: accountId, limit: 1, after: null });
    expect(change).toMatchObject({ action: "delete_bodies", before: { request: bodies.id }, after: null, by: tester });
  });

  test("a policy is known to all processes, and its change is written down", async () => {
    const { store, other } = stores();
    const accountId = await newAccount({ retentionMs: hourMs });
    expect(await other.findPolicy(accountId)).toEqual({ ...usualBodyLogPolicy, enabled: true, retentionMs: hourMs });
    expect((await other.policies()).get(accountId)).toMatchObject({ retentionMs: hourMs });
    await store.setPolicy(accountId, usualBodyLogPolicy, tester, "log_bodies");
    const [change] = await storages().storage.changes.list({ kind: "account", id: accountId, limit: 1, after: null });
    expect(change).toMatchObject({
      action: "log_bodies",
      before: { log_bodies: { enabled: true, retention: "1h" } },
      after: { log_bodies: { enabled: false, retention: "7d" } },
    });
    expect(await other.findPolicy("none")).toBeNull();
  });

  test("the oldest bodies of an account make room for new ones, and others stay", async () => {
    const { store } = stores();
    const [accountId, another] = [await newAccount(), await newAccount()];
    const theirs = bodiesAt(another, now);
    await store.keep(theirs, maxBytes);
    const all = Array.from({ length: 60 }, (_, at) => bodiesAt(accountId, now + at, "x".repeat(1_000)));
    for (const each of all) await store.keep(each, 50_000);
    const usage = await store.usage(accountId);
    expect(usage.bytes).toBeLessThanOrEqual(50_000);
    expect(usage.requests).toBeGreaterThan(0);
    const found = await Promise.all(all.map(({ id }) => store.find(id, now + 60)));
    const isKept = found.map((each) => each !== null);
    expect(isKept).toEqual(all.map((_, at) => at >= all.length - usage.requests));
    expect(await store.find(theirs.id, now)).toEqual(theirs);
  });

  test("bodies end with their account's retention, also a shorter one, and when all are cleared", async () => {
    const { store, other } = stores();
    const [short, long] = [await newAccount({ retentionMs: hourMs }), await newAccount({ retentionMs: 10 * hourMs })];
    const made = [short, long].map((id) => Array.from({ length: 25 }, (_, at) => bodiesAt(id, now - 2 * hourMs + at)));
    for (const each of made.flat()) await store.keep(each, maxBytes);
    const ids = made.map(([first]) => first?.id ?? "");
    const isFound = () => Promise.all(ids.map(async (id) => (await other.find(id, now)) !== null));
    expect(await isFound()).toEqual([false, true]);
    let deleted = 0;
    for (let count = 10; count === 10; deleted += count) count = await store.deleteExpired(now, 10);
    expect(deleted).toBe(25);
    expect(await store.usage(long)).toMatchObject({ requests: 25 });
    await store.setPolicy(long, { ...usualBodyLogPolicy, clearedAt: now }, tester, "delete_bodies");
    expect(await isFound()).toEqual([false, false]);
    expect(await store.deleteExpired(now, 1_000)).toBe(25);
    expect(await store.usage(long)).toEqual({ bytes: 0, requests: 0 });
  });
}
