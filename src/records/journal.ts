import { accessSync, appendFileSync, constants, mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import {
  adoptJournalFile,
  createJournalFile,
  isJournalFile,
  type JournalFile,
  removeLeftLocks,
} from "./journal-file.ts";
import type { RecordsLog } from "./log.ts";
import type { UsageRecord } from "./record.ts";

/** A record in the journal that the store has not got yet. The record itself is on disk. */
export interface JournalEntry {
  readonly id: string;
  readonly keyId: string;
  readonly responseId: string | null;
  readonly source: Source;
  readonly offset: number;
  readonly length: number;
}

interface Source {
  readonly file: JournalFile;
  /** Entries in this file that the store has not got yet. */
  outstanding: number;
}

/** Where records wait while the store is away: on disk, in whole lines, so that a killed process loses none. */
export interface Journal {
  /** Records that wait. */
  readonly count: number;
  /** Whether a request that is let in now will surely find room for its record. */
  hasRoom(): boolean;
  /**
   * Writes the records. Throws where they cannot be written, or would not fit. The answers that some bring for repetitions
   * are left out where they would take the room that is kept for records.
   */
  append(records: readonly UsageRecord[]): void;
  /** The record with this request id, or the newest with this response id, among those that wait. */
  find(keyId: string, requestOrResponseId: string): UsageRecord | null;
  findAnyones(requestId: string): UsageRecord | null;
  /** The entries that come next, at most `count`. */
  next(count: number): JournalEntry[];
  read(entry: JournalEntry): UsageRecord;
  /** The store has them. */
  remove(entries: readonly JournalEntry[]): void;
  /** Puts an entry behind all others. */
  postpone(entry: JournalEntry): void;
  /** Takes an entry that the store will never take out of the way, into `rejected.jsonl` (perhaps again after a crash). */
  reject(entry: JournalEntry): void;
  /** What waits stays on disk for the next start. */
  close(): void;
}

export interface JournalOptions {
  readonly folder: string;
  /** Bytes on disk, at most. 64 MiB where not given. */
  readonly maxBytes?: number | undefined;
  readonly log: RecordsLog;
}

/** This part of the journal is kept for the records of requests that were let in before it filled. */
const reservedShare = 1 / 8;

/**
 * Opens the journal in `folder` and takes over what processes that no longer live left there. Several processes may share
 * the folder. Throws where the folder cannot be made or written to.
 */
export function openJournal({ folder, maxBytes = 64 * 1024 * 1024, log }: JournalOptions): Journal {
  makeFolder(folder);
  const entries = new Map<string, JournalEntry>();
  const sources = new Set<Source>();
  /** The file that this process writes; made when the first record comes. */
  let own: Source | null = null;

  const openBytes = maxBytes * (1 - reservedShare);

  function usedBytes(): number {
    let bytes = 0;
    for (const source of sources) bytes += source.file.size;
    return bytes;
  }

  function newSource(file: JournalFile): Source {
    const source = { file, outstanding: 0 };
    sources.add(source);
    return source;
  }

  function enter(record: UsageRecord, source: Source, offset: number, length: number): void {
    if (entries.has(record.id)) return;
    const { id, keyId, responseId } = record;
    entries.set(id, { id, keyId, responseId, source, offset, length });
    source.outstanding += 1;
  }

  function leave(entry: JournalEntry): void {
    if (!entries.delete(entry.id)) return;
    entry.source.outstanding -= 1;
    if (entry.source.outstanding === 0) drop(entry.source);
  }

  function drop(source: Source): void {
    sources.delete(source);
    if (own === source) own = null;
    source.file.remove();
  }

  function adopt(name: string): void {
    const file = adoptJournalFile(folder, name);
    if (file === null) return;
    const source = newSource(file);
    const text = file.read(0, file.size);
    let offset = 0;
    for (const line of text.split("\n")) {
      const length = Buffer.byteLength(line);
      const record = parseLine(line);
      if (record !== null) enter(record, source, offset, length);
      else if (line !== "") log.warn({ file: name, offset }, "skipped a line of the journal that was cut short");
      offset += length + 1;
    }
    log.info({ file: name, records: source.outstanding }, "took over the journal of an earlier process");
    if (source.outstanding === 0) drop(source);
  }

  removeLeftLocks(folder);
  for (const name of readdirSync(folder).filter(isJournalFile).sort()) adopt(name);

  function read(entry: JournalEntry): UsageRecord {
    // The line was a record when it was entered, and lines do not change.
    return JSON.parse(entry.source.file.read(entry.offset, entry.length)) as UsageRecord;
  }

  return {
    get count() {
      return entries.size;
    },
    hasRoom: () => sources.size === 0 || usedBytes() < openBytes,
    append(records) {
      let lines = records.map(recordToLine);
      const size = lines.reduce((sum, line) => sum + line.length, 0);
      if (usedBytes() + size > openBytes) lines = records.map((record) => recordToLine(withoutAnswer(record)));
      const text = Buffer.concat(lines);
      if (usedBytes() + text.length > maxBytes) throw new Error(`The journal is full (${maxBytes} bytes).`);
      own ??= newSource(createJournalFile(folder));
      let offset = own.file.append(text);
      for (const [index, record] of records.entries()) {
        const length = lines[index]?.length ?? 0;
        enter(record, own, offset, length - 1);
        offset += length;
      }
    },
    find(keyId, id) {
      let found = entries.get(id);
      if (found?.keyId !== keyId) {
        found = undefined;
        for (const entry of entries.values()) {
          if (entry.keyId === keyId && entry.responseId === id && (!found || entry.id > found.id)) found = entry;
        }
      }
      return found === undefined ? null : read(found);
    },
    findAnyones(id) {
      const found = entries.get(id);
      return found === undefined ? null : read(found);
    },
    next: (count) => entries.values().take(count).toArray(),
    read,
    remove: (done) => done.forEach(leave),
    postpone(entry) {
      if (entries.delete(entry.id)) entries.set(entry.id, entry);
    },
    reject(entry) {
      appendFileSync(join(folder, "rejected.jsonl"), `${entry.source.file.read(entry.offset, entry.length)}\n`, {
        mode: 0o600,
      });
      leave(entry);
    },
    close() {
      for (const source of sources) source.file.close();
      sources.clear();
      entries.clear();
      own = null;
    },
  };
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true });
    accessSync(folder, constants.R_OK | constants.W_OK | constants.X_OK);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(`The journal's folder "${folder}" cannot be used: ${reason}`, { cause: error });
  }
}

function recordToLine(record: UsageRecord): Buffer {
  return Buffer.from(`${recordToText(record)}\n`);
}

function recordToText(record: UsageRecord): string {
  try {
    return JSON.stringify(record);
  } catch {
    // Only raw fields can be too deep or otherwise impossible: the bill must not be lost with them.
    return JSON.stringify({ ...record, providerUsage: { family: record.providerUsage?.family ?? "", rawFields: {} } });
  }
}

function withoutAnswer(record: UsageRecord): UsageRecord {
  const { idempotent } = record;
  return idempotent ? { ...record, idempotent: { ...idempotent, answer: null } } : record;
}

function parseLine(line: string): UsageRecord | null {
  try {
    const value: unknown = JSON.parse(line);
    const isRecord = typeof value === "object" && value !== null && "id" in value && typeof value.id === "string";
    return isRecord ? (value as UsageRecord) : null;
  } catch {
    return null;
  }
}
