import type { Database } from "bun:sqlite";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { CompactRecord } from "../../records/compact-record.ts";

/** Finds requests by response id in the table `request_responses`: see its migration. */
export interface ResponseCodes {
  /** Enters the request with this row number, within the transaction at hand. */
  insert(record: CompactRecord, sequence: number): void;
  /** Row numbers of requests that may have this response id, newest first; others with the same hash are among them. */
  candidates(keyId: string, responseId: string): AsyncGenerator<number>;
}

/** Requests in a stretch. Fewer make a record cheaper to write, more make it quicker to find. */
const stretchLength = 2_048;
const hashes = 2 ** 32;
/** Stretches looked through before other work gets its turn. */
const stretchesPerTurn = 256;

export function createResponseCodes(database: Database): ResponseCodes {
  const insert = database.prepare<unknown, [number, number]>(
    "insert or ignore into request_responses (code, sequence) values (?, ?)",
  );
  const byCode = database.prepare<{ sequence: number }, [number]>(
    "select sequence from request_responses where code = ? order by sequence desc",
  );
  const lastSequence = database.prepare<{ last: number | null }, []>("select max(sequence) as last from requests");

  return {
    insert({ keyId, responseId }, sequence) {
      if (responseId !== null) insert.run(codeOf(stretchOf(sequence), hashOf(keyId, responseId)), sequence);
    },
    async *candidates(keyId, responseId) {
      const hash = hashOf(keyId, responseId);
      const newest = stretchOf(lastSequence.get()?.last ?? 0);
      for (let stretch = newest; stretch >= 0; stretch -= 1) {
        for (const { sequence } of byCode.all(codeOf(stretch, hash))) yield sequence;
        if ((newest - stretch) % stretchesPerTurn === stretchesPerTurn - 1) await nextTurn();
      }
    },
  };
}

function stretchOf(sequence: number): number {
  return Math.floor(sequence / stretchLength);
}

function codeOf(stretch: number, hash: number): number {
  return stretch * hashes + hash;
}

function hashOf(keyId: string, responseId: string): number {
  return Bun.hash.crc32(keyId + responseId);
}
