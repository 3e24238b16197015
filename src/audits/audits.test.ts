import { afterAll, beforeAll, expect, test } from "bun:test";
import type { AuditCounts, BackgroundObserver, Finding } from "../billing/audit.ts";
import { tester } from "../changes/actor.testkit.ts";
import { systemClock } from "../clock.ts";
import { openStorage } from "../storage/open-storage.ts";
import type { Storage } from "../storage/storage.ts";
import { createAudits } from "./audits.ts";

let storage: Storage;
beforeAll(async () => {
  storage = await openStorage("sqlite::memory:");
});
afterAll(() => storage.close());

/** Audits of an auditor that does what the test says. */
function scripted() {
  const started: { observer: BackgroundObserver; isStopped: boolean; finish: (counts: AuditCounts) => void }[] = [];
  const create = () =>
    createAudits({
      store: storage.audits,
      clock: systemClock,
      log: { info: () => {}, warn: () => {} },
      reportMs: 5,
      auditor: {
        auditInBackground(observer) {
          const { promise: counts, resolve, reject } = Promise.withResolvers<AuditCounts>();
          const run = { observer, isStopped: false, finish: resolve };
          started.push(run);
          const stop = () => {
            run.isStopped = true;
            reject(new Error("stopped"));
          };
          return { counts, stop };
        },
      },
    });
  return { audits: create(), other: create(), started };
}

const finding = (at: number): Finding => ({ kind: "charge", subject: `req_${at}`, message: "differs" });
const counts = { accounts: 1, entries: 2, records: 3 };

async function until(check: () => Promise<boolean>): Promise<void> {
  while (!(await check())) await Bun.sleep(5);
}

test("an audit tells how far it is while it runs, and keeps the first 1,000 findings", async () => {
  const { audits, other, started } = scripted();
  const { id, isNew } = await audits.start(tester);
  expect(isNew).toBe(true);
  expect(await other.start(tester)).toEqual({ id, isNew: false });
  const [run] = started;
  run?.observer.onProgress(1, 4);
  run?.observer.onFindings(
    Array.from({ length: 1_200 }, (_, at) => finding(at)),
    1_500,
  );
  await until(async () => (await other.find(id))?.progress.found === 1_500);
  expect(await other.find(id)).toMatchObject({ status: "running", progress: { partsDone: 1, parts: 4 } });
  run?.finish(counts);
  await until(async () => (await other.find(id))?.status === "completed");
  const ended = await other.find(id);
  expect(ended).toMatchObject({ counts, startedBy: tester });
  expect(ended?.findings).toHaveLength(1_000);
});

test("an audit is cancelled from any process, and its work is ended", async () => {
  const { audits, other, started } = scripted();
  for (const by of [audits, other]) {
    const { id } = await audits.start(tester);
    expect(await by.cancel(id)).toBe(true);
    await until(async () => (await audits.find(id))?.status === "cancelled");
    expect(started.at(-1)?.isStopped).toBe(true);
    expect(await by.cancel(id)).toBe(false);
  }
});

test("a gateway that stops ends its audit, and another one can begin", async () => {
  const { audits, other } = scripted();
  const { id } = await audits.start(tester);
  await audits.stop();
  expect(await other.find(id)).toMatchObject({ status: "cancelled" });
  expect(await other.start(tester)).toMatchObject({ isNew: true });
  await other.stop();
});
