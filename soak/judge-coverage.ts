import { type Finding, some } from "./finding.ts";
import type { KeptRecord, LogTale } from "./kept.ts";
import type { Ledger } from "./ledger.ts";

/** The answers that callers must have received for the run to count. */
const statuses = [200, 400, 401, 403, 404, 409, 413, 429, 502, 503, 504];

/** Whether everything that the run is meant to exercise has happened. */
export function judgeCoverage(ledger: Ledger, records: readonly KeptRecord[], log: LogTale): Finding {
  const { sightings } = ledger;
  const happened: readonly (readonly [string, boolean])[] = [
    ...statuses.map((status) => [`status ${status}`, sightings.some((each) => each.status === status)] as const),
    ["a stream that failed midway", sightings.some(({ ending }) => ending === "failed")],
    ["a caller that left before an answer", ledger.leftUnseen > 0],
    ["a caller that left within one", sightings.some(({ ending }) => ending === "left")],
    ["a second attempt that answered", sightings.some(({ ending, attempts }) => ending === "whole" && attempts > 1)],
    ["a replayed answer", sightings.some(({ isReplay }) => isReplay)],
    ["a request cancelled", records.some(({ status }) => status === "cancelled")],
    ["a circuit that opened", log.circuitsOpened > 0],
  ];
  const lacking = happened.flatMap(([what, did]) => (did ? [] : [what]));
  return {
    name: "everything to be exercised happened",
    detail: `${log.circuitsOpened} circuits opened; lacking ${lacking.length}${some(lacking, 20)}`,
    ok: lacking.length === 0,
  };
}
