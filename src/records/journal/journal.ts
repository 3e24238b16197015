import { bareRecord, type CompactRecord, expandRecord } from "../compact-record.ts";
import type { RecordsLog } from "../log.ts";
import { lineToRecord, recordToLine } from "./record-line.ts";
import type { UsageRecord } from "../record.ts";
import { createRejectedFile } from "./rejected-file.ts";
import { createRoom, slotBytes } from "./room.ts";
import { openSegment, type Segment, type WriteAt } from "./segment.ts";
import { adoptLeft, type LeftSegments, makeFolder } from "./segment-folder.ts";

/** A record in the journal that the store has not got yet. */
export interface JournalEntry {
  readonly id: string;
  readonly keyId: string;
  readonly responseId: string | null;
  readonly isPending: boolean;
  /** Null if it is on disk alone. */
  readonly record: CompactRecord | null;
  readonly source: Source;
  readonly offset: number;
  readonly length: number;
}

interface Source {
  readonly segment: Segment;
  /** Entries in this segment that the store has not got yet. */
  outstanding: number;
  /** What is done with the segment once there are none. */
  readonly end: (segment: Segment) => void;
}

/** Where records are appended on their way to the store: on disk, so that a killed process loses none. */
export interface Journal {
  /** Records that the store has not got yet. */
  readonly count: number;
  /** Whether a request that is let in now will surely find room for its record, beside all that have reserved theirs. */
  hasRoom(): boolean;
  /** Reserves room for the record of one more request. False if there is none. */
  reserve(): boolean;
  /** Gives one reservation back: the request's record was appended, or there will be none. */
  release(): void;
  /**
   * Writes the records, all or none. Throws if they cannot be written. If room is short, those that are longer than what
   * is reserved for one are made bare.
   */
  append(records: readonly CompactRecord[]): void;
  /** The record with this request id, or the newest with this response id, among those that wait. */
  find(keyId: string, requestOrResponseId: string): UsageRecord | null;
  findAnyones(requestId: string): UsageRecord | null;
  /** The sum of the charges of an account among the records that wait in memory. */
  chargedMicrousd(accountId: string): number;
  /** The entries that come next, at most `count`, without those whose ids are in `except`. */
  next(count: number, except?: Pick<ReadonlyMap<string, unknown>, "has">): JournalEntry[];
  /** What waits under this id. */
  entryOf(id: string): JournalEntry | null;
  read(entry: JournalEntry): CompactRecord;
  /** The store has them. */
  remove(entries: readonly JournalEntry[]): void;
  /** Puts an entry behind all others. */
  postpone(entry: JournalEntry): void;
  /**
   * Takes an entry that the store will never take out of the way, into `rejected.jsonl` (perhaps again after a crash).
   * Throws, and leaves the entry where it is, if the file is full or cannot be written.
   */
  reject(entry: JournalEntry): void;
  /**
   * Takes over what processes that have died since lie in the folder. True if nothing of what was taken over waits any more.
   */
  adoptLeft(): boolean;
  /** Waiting records stay on disk for the next start. */
  close(): void;
}

export interface JournalOptions {
  readonly folder: string;
  /** Bytes on disk, at most. 128 MiB if not given. */
  readonly maxBytes?: number | undefined;
  readonly log: RecordsLog;
  /** Bytes of `rejected.jsonl`, at most. 16 MiB if not given. */
  readonly maxRejectedBytes?: number | undefined;
  /** Writes to the files; tests make it fail. */
  readonly write?: WriteAt;
}

/** Records kept in memory beside the file, so that they need not be read again. */
const maxInMemory = 16_384;
/** Requests that may be under way without a reservation. */
const maxUnreserved = 64;

/**
 * Opens the journal in `folder` and takes over what processes that no longer live left there. Several processes may share
 * the folder. Throws if the folder cannot be made or written to.
 */
export function openJournal(options: JournalOptions): Journal {
  const { folder, maxBytes = 128 * 1024 * 1024, maxRejectedBytes = 16 * 1024 * 1024, log, write } = options;
  makeFolder(folder);
  const entries = new Map<string, JournalEntry>();
  const sources = new Map<Segment, Source>();
  const room = createRoom({ folder, maxBytes, log, write });
  const unreserved = Math.min(maxUnreserved, Math.floor(maxBytes / slotBytes / 8));
  let reserved = 0;

  function sourceOf(segment: Segment, end: Source["end"]): Source {
    let source = sources.get(segment);
    if (source === undefined) {
      source = { segment, outstanding: 0, end };
      sources.set(segment, source);
    }
    return source;
  }

  function enter(record: CompactRecord, source: Source, offset: number, length: number): void {
    const { id, keyId, responseId } = record;
    const standing = entries.get(id);
    // A final record never changes; a pending one is replaced by the final one.
    if (standing !== undefined && (!standing.isPending || record.status === "pending")) return;
    if (standing !== undefined) leave(standing);
    const kept = entries.size < maxInMemory ? record : null;
    entries.set(id, {
      id,
      keyId,
      responseId,
      isPending: record.status === "pending",
      record: kept,
      source,
      offset,
      length,
    });
    source.outstanding += 1;
  }

  function leave(entry: JournalEntry): void {
    if (entries.get(entry.id) === entry) entries.delete(entry.id);
    else return;
    entry.source.outstanding -= 1;
    endIfDone(entry.source);
  }

  function endIfDone(source: Source): void {
    if (source.outstanding > 0) return;
    if (room.isWriting(source.segment)) {
      room.restart();
      return;
    }
    sources.delete(source.segment);
    source.end(source.segment);
  }

  const recycle = (segment: Segment) => room.recycle(segment, reserved + unreserved + 1);

  function adopt(path: string, end: Source["end"]): void {
    const segment = openSegment(path);
    room.countForeign(segment.size);
    const source = sourceOf(segment, end);
    let offset = 0;
    for (const line of segment.read(0, segment.used).split("\n")) {
      const length = Buffer.byteLength(line);
      try {
        if (line !== "") enter(lineToRecord(line), source, offset, length);
      } catch {
        log.warn({ file: path, offset }, "skipped a line of the journal that was cut short");
      }
      offset += length + 1;
    }
    log.info({ file: path, records: source.outstanding }, "took over the journal of an earlier process");
  }

  const adopted = new Set<LeftSegments>();

  function adoptAll(): void {
    for (const left of adoptLeft(folder)) {
      adopted.add(left);
      adoptSegments(left);
    }
    for (const source of sources.values()) endIfDone(source);
  }

  function adoptSegments(left: LeftSegments): void {
    let remaining = left.paths.length;
    const end = (segment: Segment) => {
      room.countForeign(-segment.size);
      segment.remove();
      remaining -= 1;
      if (remaining > 0) return;
      adopted.delete(left);
      left.release();
    };
    for (const path of left.paths) adopt(path, end);
  }
  adoptAll();
  room.ensure(unreserved + 1);
  const rejected = createRejectedFile(folder, maxRejectedBytes, log);

  function toLines(records: readonly CompactRecord[]): string[] {
    const lines = records.map(recordToLine);
    // No character has more than three bytes.
    if (!lines.some((line) => line.length > slotBytes / 3)) return lines;
    const sizes = lines.map((line) => Buffer.byteLength(line));
    let slots = 0;
    // A line that does not fit behind the others leaves the end of its segment empty.
    for (const size of sizes)
      slots += size > slotBytes && size <= room.maxLineBytes ? 2 * Math.ceil(size / slotBytes) : 1;
    const hasRoom = slots === lines.length || room.ensure(slots + Math.max(0, reserved - records.length));
    const maxLineBytes = hasRoom ? room.maxLineBytes : slotBytes;
    return records.map((record, index) => {
      const line = lines[index] ?? "";
      return (sizes[index] ?? 0) > maxLineBytes ? recordToLine(bareRecord(record)) : line;
    });
  }

  function read(entry: JournalEntry): CompactRecord {
    return entry.record ?? lineToRecord(entry.source.segment.read(entry.offset, entry.length));
  }

  function append(records: readonly CompactRecord[]): void {
    const lines = toLines(records);
    const sizes = lines.map((line) => Buffer.byteLength(line));
    for (const { segment, offset, from, to } of room.write(lines, sizes)) {
      const source = sourceOf(segment, recycle);
      let at = offset;
      for (let index = from; index < to; index += 1) {
        const record = records[index];
        const size = sizes[index] ?? 0;
        if (record !== undefined) enter(record, source, at, size - 1);
        at += size;
      }
    }
    // The segment that was written to until now may have been waiting for this only.
    if (sources.size > 1) for (const source of sources.values()) endIfDone(source);
  }

  rejected.takeBack(append);

  return {
    get count() {
      return entries.size;
    },
    hasRoom: () => room.ensure(reserved + unreserved + 1),
    reserve() {
      if (!room.ensure(reserved + 1)) return false;
      reserved += 1;
      return true;
    },
    release() {
      reserved -= 1;
    },
    append,
    find(keyId, id) {
      let found = entries.get(id);
      if (found?.keyId !== keyId) {
        found = undefined;
        for (const entry of entries.values()) {
          if (entry.keyId === keyId && entry.responseId === id && (!found || entry.id > found.id)) found = entry;
        }
      }
      return found === undefined ? null : expandRecord(read(found));
    },
    findAnyones(id) {
      const found = entries.get(id);
      return found === undefined ? null : expandRecord(read(found));
    },
    chargedMicrousd(accountId) {
      let sum = 0;
      for (const { record } of entries.values()) if (record?.accountId === accountId) sum += record.amountMicrousd;
      return sum;
    },
    next(count, except) {
      const found: JournalEntry[] = [];
      for (const entry of entries.values()) {
        if (found.length >= count) break;
        if (except?.has(entry.id) !== true) found.push(entry);
      }
      return found;
    },
    entryOf: (id) => entries.get(id) ?? null,
    read,
    remove: (done) => done.forEach(leave),
    postpone(entry) {
      if (entries.delete(entry.id)) entries.set(entry.id, entry);
    },
    reject(entry) {
      const compacted = read(entry);
      const { idempotent } = compacted;
      const record = expandRecord(compacted);
      rejected.append(idempotent === undefined ? record : { ...record, idempotent });
      leave(entry);
    },
    adoptLeft() {
      adoptAll();
      return adopted.size === 0;
    },
    close() {
      for (const { segment, outstanding } of sources.values()) {
        if (outstanding > 0) segment.close();
        else segment.remove();
      }
      sources.clear();
      entries.clear();
      for (const left of adopted) left.release();
      room.close();
    },
  };
}
