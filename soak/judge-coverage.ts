import { type Finding, some } from "./finding.ts";
import type { StoredRecord, LogSummary } from "./evidence.ts";
import type { Ledger } from "./ledger.ts";

/** Statuses that must occur in a run. */
const statuses = [200, 400, 401, 403, 404, 409, 413, 429, 502, 503, 504];

/** Checks that all cases occurred. */
export function judgeCoverage(ledger: Ledger, records: readonly StoredRecord[], log: LogSummary): Finding {
  const { observations } = ledger;
  const happened: readonly (readonly [string, boolean])[] = [
    ...statuses.map((status) => [`status ${status}`, observations.some((each) => each.status === status)] as const),
    ["a stream that failed midway", observations.some(({ ending }) => ending === "failed")],
    ["a disconnect before an answer", ledger.leftUnseen > 0],
    ["a disconnect during an answer", observations.some(({ ending }) => ending === "left")],
    ["a second attempt that answered", observations.some(({ ending, attempts }) => ending === "whole" && attempts > 1)],
    ["a repetition", observations.some(({ isReplay }) => isReplay)],
    ["a cancelled request", records.some(({ status }) => status === "cancelled")],
    ["a circuit that opened", log.circuitsOpened > 0],
  ];
  const lacking = happened.flatMap(([what, did]) => (did ? [] : [what]));
  return {
    name: "all cases occurred",
    text: `${log.circuitsOpened} circuits opened; lacking ${lacking.length}${some(lacking, 20)}`,
    ok: lacking.length === 0,
  };
}
