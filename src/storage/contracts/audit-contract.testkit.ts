import { afterEach, expect, test } from "bun:test";
import { tester } from "../../changes/actor.testkit.ts";
import { newRequestId } from "../../identifiers.ts";
import type { Finding } from "../../billing/audit.ts";
import type { Storage } from "../storage.ts";

const finding: Finding = { kind: "charge", subject: "req_1", message: "the record's amount is 1, its charge 2\0" };
const nothing = { partsDone: 0, parts: 0, found: 0 };
const counts = { accounts: 1, entries: 2, records: 3 };

/** Tests that every store of audits must pass. `other` is the same database as seen by another process. */
export function auditContract(storages: () => { readonly storage: Storage; readonly other: Storage }): void {
  const stores = () => ({ store: storages().storage.audits, other: storages().other.audits });
  const idAt = (ms: number) => newRequestId(ms).replace("req_", "aud_");
  const all = { limit: 1_000, after: null };
  let running: string | null = null;
  const begin = async (startedAt: number, aliveSince = 0) => {
    const id = idAt(startedAt);
    running = await stores().store.begin({ id, startedBy: tester, startedAt }, aliveSince);
    return { id, running };
  };
  afterEach(async () => {
    if (running !== null) await stores().store.end(running, 9, { status: "cancelled" }, nothing, []);
  });

  test("one audit runs at a time, in whichever process", async () => {
    const { store, other } = stores();
    const first = await begin(1_000);
    expect(first.running).toBe(first.id);
    const starts = Array.from({ length: 4 }, (_, at) => ({
      id: idAt(2_000 + at),
      startedBy: tester,
      startedAt: 2_000,
    }));
    const answers = await Promise.all(starts.map((start, at) => (at % 2 ? store : other).begin(start, 0)));
    expect(new Set(answers)).toEqual(new Set([first.id]));
  });

  test("an audit is found with how far it is, how it ended and what it found", async () => {
    const { store, other } = stores();
    const { id } = await begin(3_000);
    expect(await store.report(id, 3_500, { partsDone: 1, parts: 4, found: 7 }, [finding])).toBe(false);
    const run = { id, status: "running", startedBy: tester, startedAt: 3_000, endedAt: null, error: null } as const;
    const progress = { partsDone: 1, parts: 4, found: 7 };
    expect(await other.find(id, 0)).toEqual({ ...run, progress, counts: null, findings: [finding] });
    await store.end(id, 4_000, { status: "completed", counts }, { ...progress, partsDone: 4 }, [finding, finding]);
    const ended = {
      ...run,
      status: "completed",
      endedAt: 4_000,
      progress: { ...progress, partsDone: 4 },
      counts,
    } as const;
    expect(await other.find(id, 9_999)).toEqual({ ...ended, findings: [finding, finding] });
    expect((await other.list({ limit: 1, after: null }, 0))[0]).toEqual(ended);
    await store.end(id, 5_000, { status: "failed", error: "late" }, progress, []);
    expect(await other.find(id, 0)).toMatchObject({ status: "completed" });
    expect(await store.find("aud_none", 0)).toBeNull();
  });

  test("an audit that another process cancels learns it with its next report", async () => {
    const { store, other } = stores();
    const { id } = await begin(6_000);
    expect(await other.cancel(id)).toBe(true);
    expect(await store.report(id, 6_001, nothing, [])).toBe(true);
    await store.end(id, 6_002, { status: "cancelled" }, nothing, []);
    expect(await other.cancel(id)).toBe(false);
    expect(await store.report(id, 6_003, nothing, [])).toBe(true);
  });

  test("an audit of a process that died counts as failed, and another one can begin", async () => {
    const { store, other } = stores();
    const { id } = await begin(7_000);
    await store.report(id, 7_500, nothing, [finding]);
    expect(await other.find(id, 7_500)).toMatchObject({ status: "running" });
    expect(await other.find(id, 7_501)).toMatchObject({ status: "failed", endedAt: 7_500, error: expect.any(String) });
    const next = await begin(8_000, 7_501);
    expect(next.running).toBe(next.id);
    expect(await other.find(id, 0)).toMatchObject({ status: "failed", endedAt: 7_500, findings: [finding] });
  });

  test("the last 100 are kept, and listed in pages, newest first", async () => {
    const { store } = stores();
    for (let at = 0; at < 101; at++) {
      const { id } = await begin(10_000 + at);
      await store.end(id, 10_000 + at, { status: "cancelled" }, nothing, []);
    }
    const listed = await store.list(all, 0);
    expect(listed.map(({ startedAt }) => startedAt)).toEqual(Array.from({ length: 100 }, (_, at) => 10_100 - at));
    const [, second] = listed;
    expect((await store.list({ limit: 2, after: second?.id ?? "" }, 0)).map(({ id }) => id)).toEqual(
      listed.slice(2, 4).map(({ id }) => id),
    );
  });
}
