import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type CompactRecord, expandRecord } from "../compact-record.ts";
import { type Journal, openJournal } from "../journal/journal.ts";
import type { UsageRecord } from "../record.ts";
import type { RecordStore } from "../record-store.ts";
import { createRecorder } from "./recorder.ts";

const folders: string[] = [];

function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tollgate-recorder-"));
  folders.push(folder);
  return folder;
}

/** Removes the folders of all tests so far. */
export function removeFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
}

export const log = { info() {}, warn() {}, error() {} };

/** A log of which the errors are kept. */
export function errorLog() {
  const errors: { readonly details: object; readonly message: string }[] = [];
  return {
    errors,
    log: { ...log, error: (details: object, message: string) => void errors.push({ details, message }) },
  };
}

/** A store in memory whose faults the test sets. A shared one is asynchronous, as Postgres; the other is as SQLite. */
export function createFaultyStore(isShared = false) {
  const stored = new Map<string, UsageRecord>();
  const batches: number[] = [];
  const faulty = {
    stored,
    batches,
    down: false,
    /** Inserts and lookups never answer. */
    hangs: false,
    refuses: (_record: UsageRecord): Error | null => null,
    store: {
      isShared,
      busy: () => null,
      insertAll(compacted: readonly CompactRecord[]) {
        if (faulty.hangs) return new Promise<void>(() => {});
        const records = compacted.map(expandRecord);
        return isShared ? later(() => insert(records)) : insert(records);
      },
      async find(keyId: string, id: string) {
        if (faulty.hangs) return new Promise<never>(() => {});
        if (faulty.down) throw new Error("down");
        const record = stored.get(id);
        return record?.keyId === keyId ? record : null;
      },
      findAnyones: async (id: string) => stored.get(id) ?? null,
    } satisfies RecordStore,
  };

  function insert(records: readonly UsageRecord[]): void {
    if (faulty.down) throw new Error("down");
    for (const record of records) {
      const refusal = faulty.refuses(record);
      if (refusal !== null) throw refusal;
    }
    batches.push(records.length);
    for (const record of records) {
      const isPending = stored.get(record.id)?.status === "pending";
      if (isPending ? record.status !== "pending" : !stored.has(record.id)) stored.set(record.id, record);
    }
  }

  async function later(action: () => void): Promise<void> {
    await new Promise((resolve) => setImmediate(resolve));
    action();
  }
  return faulty;
}

export function setUp(
  store: RecordStore,
  change: Partial<Parameters<typeof openJournal>[0]> & {
    readonly retryMs?: readonly number[];
    readonly minLatePauseMs?: number;
  } = {},
  storeTimeoutMs = 20,
) {
  const folder = change.folder ?? newFolder();
  const journal = openJournal({ folder, log, ...change });
  const recorder = createRecorder({
    store,
    journal,
    clock: { now: () => 0 },
    log: change.log ?? log,
    storeTimeoutMs,
    retryMs: change.retryMs ?? [1, 2],
    minLatePauseMs: change.minLatePauseMs ?? 1,
    gatherMs: 1,
    minPauseMs: 1,
    maxPauseMs: 4,
  });
  return { folder, journal, recorder };
}

export async function until(condition: () => boolean): Promise<void> {
  const deadline = performance.now() + 5_000;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error("The condition did not come true within 5 s.");
    await Bun.sleep(1);
  }
}

/** Resolves when nothing waits in the journal. */
export const drained = (journal: Journal) => until(() => journal.count === 0);
