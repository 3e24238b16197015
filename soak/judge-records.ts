import { type Finding, some } from "./finding.ts";
import type { StoredRecord, LogSummary } from "./evidence.ts";
import type { Ledger, Observation } from "./ledger.ts";
import { prices } from "./world.ts";

/** The evidence of requests and records. */
export interface Evidence {
  readonly ledger: Pick<Ledger, "observations" | "leftUnseen">;
  readonly records: readonly StoredRecord[];
  readonly log: Pick<LogSummary, "settled">;
  /** Public ids of the keys by their names. */
  readonly keyIds: Readonly<Record<string, string>>;
}

/** Compares records with requests, and amounts with answers. */
export function judgeRecords({ ledger, records, log, keyIds }: Evidence): Finding[] {
  const byId = new Map(records.map((record) => [record.id, record]));
  const own = ledger.observations.filter(({ isReplay }) => !isReplay);
  const due = own.filter(isDue);
  const missing = due.filter(({ id }) => !byId.has(id));
  const uncalledFor = own.filter((observation) => !isDue(observation) && byId.has(observation.id));
  const seen = new Set(own.map(({ id }) => id));
  const unseen = records.filter(({ id }) => !seen.has(id));
  const strangers = unseen.filter(({ key_id }) => key_id !== keyIds["leaving"]);
  const settled = new Set(log.settled);
  const wholes = due.flatMap((observation) => {
    const record = byId.get(observation.id);
    return observation.ending === "whole" && record ? [{ observation, record }] : [];
  });
  const mischarged = wholes.filter(({ observation, record }) => !isChargedRight(observation, record));
  const chargedFailures = records.filter(({ status, amount_microusd }) => isFree(status) && amount_microusd !== 0);
  const unfree = due.filter(
    ({ id, ending, status }) =>
      (ending === "failed" || (ending === "refused" && status !== 499)) && (byId.get(id)?.amount_microusd ?? 0) !== 0,
  );
  return [
    {
      name: "every observed request has its record",
      text: `${due.length} requests, ${missing.length} without${some(missing.map(describe))}`,
      ok: missing.length === 0 && due.length > 0,
    },
    {
      name: "request ids are unique",
      text: `${own.length - seen.size} duplicates`,
      ok: own.length === seen.size,
    },
    {
      name: "requests refused by a limit have no record",
      text: `${own.length - due.length} refused, ${uncalledFor.length} with a record${some(uncalledFor.map(describe))}`,
      ok: uncalledFor.length === 0,
    },
    {
      name: "other records are of callers that disconnected",
      text: `${unseen.length} records of ${ledger.leftUnseen} that disconnected before an id, ${strangers.length} of others`,
      ok: strangers.length === 0 && unseen.length <= ledger.leftUnseen,
    },
    {
      name: "each request is settled once",
      text: `${log.settled.length} settled by the log, ${settled.size} ids, ${records.length} records`,
      ok:
        log.settled.length === settled.size &&
        settled.size === records.length &&
        records.every(({ id }) => settled.has(id)),
    },
    {
      name: "charges equal the usage in the answers",
      text: `${wholes.length} answers, ${mischarged.length} differ${some(mischarged.map(({ observation, record }) => contrast(observation, record)))}`,
      ok: mischarged.length === 0 && wholes.length > 0,
    },
    {
      name: "failures are free",
      text: `${records.filter(({ status }) => isFree(status)).length} failed or refused, ${chargedFailures.length + unfree.length} charged${some([...chargedFailures, ...unfree].map(({ id }) => id))}`,
      ok: chargedFailures.length + unfree.length === 0,
    },
    ...Object.entries(keyIds).map(([name, id]) =>
      sums(
        name,
        records.filter(({ key_id }) => key_id === id),
        wholes.filter(({ observation }) => observation.keyName === name),
      ),
    ),
  ];
}

/** The sum of a key: complete answers by their usage, and partial output before a disconnect. */
function sums(
  name: string,
  records: readonly StoredRecord[],
  wholes: readonly { readonly observation: Observation; readonly record: StoredRecord }[],
): Finding {
  const total = (some: readonly StoredRecord[]) => some.reduce((sum, { amount_microusd }) => sum + amount_microusd, 0);
  const counted = wholes.reduce((sum, { observation, record }) => sum + (amountOf(observation, record) ?? 0), 0);
  const seenWhole = new Set(wholes.map(({ record }) => record.id));
  const others = total(records.filter(({ id }) => !seenWhole.has(id)));
  const charged = total(records);
  return {
    name: `key ${name}: the sum is right`,
    text: `${charged} micro-USD in ${records.length} records = ${counted} counted by callers + ${others} for partial answers`,
    ok: charged === counted + others,
  };
}

/** Whether a request must have a record: its key was valid, and no limit refused it. */
function isDue({ status, code }: Observation): boolean {
  if (status === 401 || status === 429) return false;
  return !(status === 503 && (code === "overloaded" || code === "draining"));
}

function isFree(status: string): boolean {
  return status === "failed" || status === "refused";
}

function isChargedRight(observation: Observation, record: StoredRecord): boolean {
  return record.status === "succeeded" && record.amount_microusd === amountOf(observation, record);
}

/** The amount from the usage in the answer and the prices of its model, in whole micro-USD. */
function amountOf({ usage }: Observation, { resolved_model }: StoredRecord): number | null {
  const price = prices[resolved_model?.startsWith("open/") === true ? "open/*" : (resolved_model ?? "")];
  return usage && price ? usage.input * price.input + usage.output * price.output : null;
}

function contrast(observation: Observation, record: StoredRecord): string {
  const { usage } = observation;
  const { id, resolved_model, status, amount_microusd, input_tokens, output_tokens } = record;
  const counted = usage ? `${usage.input}+${usage.output}` : "nothing";
  return `${id} (${resolved_model}, ${status}: ${amount_microusd} for ${input_tokens}+${output_tokens}, its caller counts ${counted})`;
}

function describe({ id, status, code, ending }: Observation): string {
  return `${id} (${status}${code === null ? "" : ` ${code}`}, ${ending})`;
}
