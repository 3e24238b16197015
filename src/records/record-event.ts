import type { NewEvent } from "../webhooks/outbox.ts";
import type { CompactRecord } from "./compact-record.ts";

/**
 * The event of a final record that is unpriced or suspect: once for each account, model and day (UTC), since what is wrong
 * with one request is wrong with those that follow. Null for other records.
 */
export function eventOf(record: CompactRecord): NewEvent | null {
  const { notice, accountId, model, createdAt } = record;
  if (notice === null || record.status === "pending") return null;
  const day = new Date(createdAt).toISOString().slice(0, 10);
  const hash = new Bun.CryptoHasher("sha256").update(JSON.stringify([accountId, model, day])).digest("hex");
  return {
    id: `evt_${notice}_${hash.slice(0, 26)}`,
    kind: `usage.${notice}`,
    accountId,
    payload: JSON.stringify({
      account: accountId,
      model,
      day,
      request_id: record.id,
      key_id: record.keyId,
      endpoint: record.endpoint,
    }),
    createdAt,
  };
}
