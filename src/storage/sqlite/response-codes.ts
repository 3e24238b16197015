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
const stretchLength = 4_096;
const hashes = 2 ** 32;
/** Stretches looked through by one query, which takes half a millisecond, before other work gets its turn. */
const stretchesPerTurn = 64;

export function createResponseCodes(database: Database): ResponseCodes {
  const insert = database.prepare<unknown, [number, number]>(
    "insert or ignore into request_responses (code, sequence) values (?, ?)",
  );
  // From a code downwards, stretch by stretch: one query of 64 steps takes half the time of 64 queries.
  const downwards = database.prepare<{ sequence: number }, [number, number]>(
    `with recursive stretches (code, remaining) as (
        select ?1, ?2 union all select code - ${hashes}, remaining - 1 from stretches where remaining > 1
      )
      select found.sequence from stretches cross join request_responses as found on found.code = stretches.code
      order by found.sequence desc`,
  );
  const lastSequence = database.prepare<{ last: number | null }, []>("select max(sequence) as last from requests");

  return {
    insert({ keyId, responseId }, sequence) {
      if (responseId !== null) insert.run(codeOf(stretchOf(sequence), hashOf(keyId, responseId)), sequence);
    },
    async *candidates(keyId, responseId) {
      const hash = hashOf(keyId, responseId);
      const newest = stretchOf(lastSequence.get()?.last ?? 0);
      for (let stretch = newest; stretch >= 0; stretch -= stretchesPerTurn) {
        const found = downwards.all(codeOf(stretch, hash), Math.min(stretchesPerTurn, stretch + 1));
        for (const { sequence } of found) yield sequence;
        if (stretch >= stretchesPerTurn) await nextTurn();
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
