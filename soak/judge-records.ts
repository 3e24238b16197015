import { type Finding, some } from "./finding.ts";
import type { KeptRecord, LogTale } from "./kept.ts";
import type { Ledger, Sighting } from "./ledger.ts";
import { prices } from "./world.ts";

/** All requests as callers saw them, and all records. */
export interface Evidence {
  readonly ledger: Pick<Ledger, "sightings" | "leftUnseen">;
  readonly records: readonly KeptRecord[];
  readonly log: Pick<LogTale, "settled">;
  /** Public ids of the keys by their names. */
  readonly keyIds: Readonly<Record<string, string>>;
}

/** Records against requests, and amounts against answers. */
export function judgeRecords({ ledger, records, log, keyIds }: Evidence): Finding[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const own = ledger.sightings.filter(({ isReplay }) => !isReplay);
  const due = own.filter(isDue);
  const missing = due.filter(({ id }) => !byId.has(id));
  const uncalledFor = own.filter((sighting) => !isDue(sighting) && isTurnedAway(byId.get(sighting.id)));
  const seen = new Set(own.map(({ id }) => id));
  const unseen = records.filter(({ id }) => !seen.has(id));
  const strangers = unseen.filter(({ key_id }) => key_id !== keyIds["leaving"]);
  const settled = new Set(log.settled);
  const wholes = due.flatMap((sighting) => {
    const record = byId.get(sighting.id);
    return sighting.ending === "whole" && record ? [{ sighting, record }] : [];
  });
  const mischarged = wholes.filter(({ sighting, record }) => !isChargedRight(sighting, record));
  const chargedFailures = records.filter(({ status, amount_microusd }) => isFree(status) && amount_microusd !== 0);
  const unfree = due.filter(({ id, ending, status }) => {
    const record = byId.get(id);
    // A stream that its caller's own deadline ended is charged for what was produced, like one that its caller left.
    if (record === undefined || record.status === "cancelled") return false;
    return (ending === "failed" || (ending === "refused" && status !== 499)) && record.amount_microusd !== 0;
  });
  return [
    {
      name: "every request seen has its record",
      detail: `${due.length} requests, ${missing.length} without${some(missing.map(describe))}`,
      ok: missing.length === 0 && due.length > 0,
    },
    {
      name: "no two requests share an id",
      detail: `${own.length - seen.size} do`,
      ok: own.length === seen.size,
    },
    {
      name: "requests turned away by a limit have no record",
      detail: `${own.length - due.length} turned away, ${uncalledFor.length} with a record${some(uncalledFor.map(describe))}`,
      ok: uncalledFor.length === 0,
    },
    {
      name: "other records belong to callers that left",
      detail: `${unseen.length} records of ${ledger.leftUnseen} that left before an id, ${strangers.length} of others`,
      ok: strangers.length === 0 && unseen.length <= ledger.leftUnseen,
    },
    {
      name: "each request is settled once",
      detail: `${log.settled.length} settled by the log, ${settled.size} ids, ${records.length} records`,
      ok:
        log.settled.length === settled.size &&
        settled.size === records.length &&
        records.every(({ id }) => settled.has(id)),
    },
    {
      name: "charges match the callers' count",
      detail: `${wholes.length} answers, ${mischarged.length} otherwise${some(mischarged.map(({ sighting, record }) => contrast(sighting, record)))}`,
      ok: mischarged.length === 0 && wholes.length > 0,
    },
    {
      name: "failures are free",
      detail: `${records.filter(({ status }) => isFree(status)).length} failed or refused, ${chargedFailures.length + unfree.length} charged${some([...chargedFailures, ...unfree].map(({ id }) => id))}`,
      ok: chargedFailures.length + unfree.length === 0,
    },
    ...Object.entries(keyIds).map(([name, id]) =>
      sums(
        name,
        records.filter(({ key_id }) => key_id === id),
        wholes.filter(({ sighting }) => sighting.keyName === name),
      ),
    ),
  ];
}

/** The amount that a key owes: for complete answers by its callers' count, and for output produced before they disconnected. */
function sums(
  name: string,
  records: readonly KeptRecord[],
  wholes: readonly { readonly sighting: Sighting; readonly record: KeptRecord }[],
): Finding {
  const total = (some: readonly KeptRecord[]) => some.reduce((sum, { amount_microusd }) => sum + amount_microusd, 0);
  const counted = wholes.reduce((sum, { sighting, record }) => sum + (amountOf(sighting, record) ?? 0), 0);
  const seenWhole = new Set(wholes.map(({ record }) => record.id));
  const others = total(records.filter(({ id }) => !seenWhole.has(id)));
  const charged = total(records);
  return {
    name: `key ${name}: the sum is right`,
    detail: `${charged} micro-USD in ${records.length} records = ${counted} counted by callers + ${others} for answers cut by their callers`,
    ok: charged === counted + others,
  };
}

/** Whether a request must have a record: its key was good, and no limit turned it away. */
function isDue({ status, code }: Sighting): boolean {
  if (status === 401 || status === 429) return false;
  return !(status === 503 && (code === "overloaded" || code === "draining"));
}

/** Whether it says that a limit turned the request away. A provider's own rate limit is a failure, also a 429, and has a record. */
function isTurnedAway(record: KeptRecord | undefined): boolean {
  return record !== undefined && record.status !== "failed";
}

function isFree(status: string): boolean {
  return status === "failed" || status === "refused";
}

function isChargedRight(sighting: Sighting, record: KeptRecord): boolean {
  return record.status === "succeeded" && record.amount_microusd === amountOf(sighting, record);
}

/** By the figures in the answer and the price of the model that gave it, in whole micro-USD. */
function amountOf({ usage }: Sighting, record: KeptRecord): number | null {
  const { resolved_model, isSuspect } = record;
  const price = prices[resolved_model?.startsWith("open/") === true ? "open/*" : (resolved_model ?? "")];
  if (!usage || !price) return null;
  // A caller is told what the provider reported, but charged for what is possible.
  const input = isSuspect ? Math.min(usage.input, record.input_tokens) : usage.input;
  const output = isSuspect ? Math.min(usage.output, record.output_tokens) : usage.output;
  return input * price.input + output * price.output;
}

function contrast(sighting: Sighting, record: KeptRecord): string {
  const { usage } = sighting;
  const { id, resolved_model, status, amount_microusd, input_tokens, output_tokens } = record;
  const counted = usage ? `${usage.input}+${usage.output}` : "nothing";
  return `${id} (${resolved_model}, ${status}: ${amount_microusd} for ${input_tokens}+${output_tokens}, its caller counts ${counted})`;
}

function describe({ id, status, code, ending }: Sighting): string {
  return `${id} (${status}${code === null ? "" : ` ${code}`}, ${ending})`;
}
