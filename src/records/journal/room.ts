import type { RecordsLog } from "../log.ts";
import { createSegment, type Segment, type WriteAt } from "./segment.ts";
import { createOwner, type SegmentOwner } from "./segment-folder.ts";

/** Bytes reserved for the record of one request; a bare record always fits. */
export const slotBytes = 8 * 1024;

/** The disk space that this process holds for records. All of it is allocated: none of it can turn out to be missing. */
export interface Room {
  /** Bytes of the longest line that fits, since a line is never split. */
  readonly maxLineBytes: number;
  /** Makes sure that so many records find room, whatever else fills the disk. False if there is none for them. */
  ensure(slots: number): boolean;
  /**
   * Writes the lines in order, all or none, and returns where they are. `sizes` are their lengths in bytes. Throws if there
   * is no room for them or they cannot be written.
   */
  write(lines: readonly string[], sizes: readonly number[]): readonly Part[];
  /** Takes a segment back whose lines are all in the store. Gives it up if `slots` are free without it. */
  recycle(segment: Segment, slots: number): void;
  /** The same for the segment to which lines are being written, once half of it is used. */
  restart(): void;
  /** Counts bytes of segments that another process left against the maximum. */
  countForeign(bytes: number): void;
  /** Whether lines are still being written to the segment. */
  isWriting(segment: Segment): boolean;
  /** Removes the empty segments and gives up the lock. */
  close(): void;
}

/** Lines that are in one segment, one behind the other. */
export interface Part {
  readonly segment: Segment;
  /** Of the first of them in the segment. */
  offset: number;
  /** Index of the first among the lines that were written, and of the one after the last. */
  readonly from: number;
  to: number;
  bytes: number;
}

export interface RoomOptions {
  readonly folder: string;
  readonly maxBytes: number;
  readonly log: RecordsLog;
  readonly write?: WriteAt | undefined;
}

/** Small enough to be filled with zeros in about 0.3 ms. */
const maxSegmentBytes = 1024 * 1024;
/** A full disk is not tried again sooner. */
const allocationPauseMs = 100;
/** How long it may go unnoticed that somebody has removed the journal's files. */
const goneCheckMs = 50;

export function createRoom({ folder, maxBytes, log, write }: RoomOptions): Room {
  const segmentBytes = Math.max(slotBytes, Math.min(maxSegmentBytes, Math.floor(maxBytes / 4)));
  let owner: SegmentOwner | null = null;
  let writing: Segment | null = null;
  /** Empty ones, in the order in which they will be used. */
  const spares: Segment[] = [];
  let heldBytes = 0;
  let freeSlots = 0;
  let allocationFails = false;
  let nextAllocationAt = 0;
  let nextGoneCheckAt = 0;

  function countFree(): void {
    freeSlots = spares.length * slotsIn(segmentBytes);
    if (writing !== null) freeSlots += slotsIn(writing.size - writing.used);
  }

  function allocate(): boolean {
    if (heldBytes + segmentBytes > maxBytes) return false;
    const now = performance.now();
    if (allocationFails && now < nextAllocationAt) return false;
    try {
      owner ??= createOwner(folder);
      spares.push(createSegment(owner.nextPath(), segmentBytes, write));
    } catch (error) {
      if (!allocationFails) log.warn({ error: String(error) }, "the journal can reserve no more room");
      allocationFails = true;
      nextAllocationAt = now + allocationPauseMs;
      return false;
    }
    if (allocationFails) log.info({}, "the journal can reserve room again");
    allocationFails = false;
    heldBytes += segmentBytes;
    freeSlots += slotsIn(segmentBytes);
    return true;
  }

  function ensure(slots: number): boolean {
    leaveGoneFiles();
    while (freeSlots < slots) if (!allocate()) return false;
    return true;
  }

  /** If somebody has removed the files, what is written to them would be lost with this process: begins anew. */
  function leaveGoneFiles(): void {
    const now = performance.now();
    if (now < nextGoneCheckAt) return;
    nextGoneCheckAt = now + goneCheckMs;
    if (owner === null || (!owner.isGone() && !writing?.isGone() && !spares.some((spare) => spare.isGone()))) return;
    log.error({ folder }, "the journal's files were removed by somebody else");
    for (const spare of spares.splice(0)) drop(spare);
    writing = null;
    owner.release();
    owner = null;
    countFree();
  }

  function drop(segment: Segment): void {
    heldBytes -= segment.size;
    segment.remove();
  }

  /** Fits lines into segments, in order: a line is never split. Null if there is no room for them. */
  function place(lines: readonly string[], sizes: readonly number[]): Part[] | null {
    const parts: Part[] = [];
    let nextSpare = 0;
    let part: Part | null = writing === null ? null : { segment: writing, offset: 0, from: 0, to: 0, bytes: 0 };
    for (let index = 0; index < lines.length; index += 1) {
      const size = sizes[index] ?? 0;
      while (part === null || part.segment.used + part.bytes + size > part.segment.size) {
        if (size > segmentBytes) return null;
        if (part !== null && part.bytes > 0) parts.push(part);
        if (nextSpare === spares.length && !allocate()) return null;
        const segment = spares[nextSpare];
        if (segment === undefined) return null;
        nextSpare += 1;
        part = { segment, offset: 0, from: index, to: index, bytes: 0 };
      }
      part.to = index + 1;
      part.bytes += size;
    }
    if (part !== null && part.bytes > 0) parts.push(part);
    return parts;
  }

  return {
    maxLineBytes: segmentBytes,
    ensure,
    write(lines, sizes) {
      leaveGoneFiles();
      const parts = place(lines, sizes);
      if (parts === null) throw new Error(`The journal has no room for records (${heldBytes} of ${maxBytes} bytes).`);
      const written: Part[] = [];
      try {
        for (const part of parts) {
          const isAll = part.from === 0 && part.to === lines.length;
          const text = (isAll ? lines : lines.slice(part.from, part.to)).join("");
          part.offset = part.segment.append(Buffer.from(text));
          written.push(part);
        }
      } catch (error) {
        for (const { segment, offset } of written) segment.truncate(offset);
        countFree();
        throw error;
      }
      writing = parts.at(-1)?.segment ?? writing;
      // The last part is in a segment that was a spare, or in none of them; those before it are full.
      if (writing !== null) spares.splice(0, spares.indexOf(writing) + 1);
      countFree();
      return parts;
    },
    recycle(segment, slots) {
      try {
        if (freeSlots >= slots || owner === null || segment.isGone()) drop(segment);
        else {
          segment.truncate(0);
          segment.rename(owner.nextPath());
          spares.push(segment);
        }
      } catch (error) {
        log.warn({ error: String(error) }, "a segment of the journal cannot be used again");
        drop(segment);
      }
      countFree();
    },
    restart() {
      if (writing === null || writing.used < writing.size / 2) return;
      try {
        writing.truncate(0);
      } catch (error) {
        log.warn({ error: String(error) }, "a segment of the journal cannot be used again");
      }
      countFree();
    },
    countForeign(bytes) {
      heldBytes += bytes;
    },
    isWriting: (segment) => segment === writing,
    close() {
      for (const spare of spares.splice(0)) drop(spare);
      writing = null;
      owner?.release();
      owner = null;
      freeSlots = 0;
    },
  };
}

function slotsIn(bytes: number): number {
  return Math.floor(bytes / slotBytes);
}
