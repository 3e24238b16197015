import { eventOf } from "../../records/record-event.ts";
import type { CompactRecord } from "../../records/compact-record.ts";

/** The columns that a record among those of `$1` has for its event. All null for most. */
export const eventFields = "event_id text, event_kind text, event_payload text";

/** The values of `eventFields`. */
export function eventFieldsOf(record: CompactRecord): object {
  const event = eventOf(record);
  return event === null ? {} : { event_id: event.id, event_kind: event.kind, event_payload: event.payload };
}

/** Writes the events of the records that were `written`, of those that were `chosen`, to the outbox. */
export const insertEvents = `noted as (
    insert into outbox (id, kind, account_id, payload, created_at, next_attempt_at)
      select distinct on (event_id) event_id, event_kind, account_id, event_payload, created_at, created_at
        from chosen join written on written.id = chosen.id
          and written.if_lost is not distinct from chosen.if_lost
        where event_id is not null order by event_id, chosen.id
      on conflict (id) do nothing
  )`;
