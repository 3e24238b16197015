import { invalidParameter } from "../../errors.ts";
import { nextTurn } from "../../next-turn.ts";
import type { encodeRecord } from "../../records/public-record.ts";
import type { UsageRecord } from "../../records/record.ts";
import type { Parameters } from "../read-filter.ts";
import type { RecordFilter, UsageStore } from "../usage-store.ts";
import { csvLine } from "./csv.ts";
import { csvCells, csvColumns } from "./csv-record.ts";
import { focusColumns, focusRows, focusVersion } from "./focus.ts";

/** A way to write records as text. */
export interface ExportFormat {
  readonly contentType: string;
  readonly fileName: string;
  /** What comes before the records. */
  readonly head: string;
  write(record: UsageRecord, encode: EncodeForExport): string;
}

/** How the records are shown to those that asked. */
export interface EncodeForExport {
  readonly hideProvider: boolean;
  readonly encode: typeof encodeRecord;
}

const formats: Readonly<Record<string, ExportFormat>> = {
  csv: {
    contentType: "text/csv; charset=utf-8",
    fileName: "usage.csv",
    head: csvLine(csvColumns),
    write: (record, { hideProvider }) => csvLine(csvCells(record, hideProvider)),
  },
  jsonl: {
    contentType: "application/jsonl",
    fileName: "usage.jsonl",
    head: "",
    write: (record, { encode, hideProvider }) => `${JSON.stringify(encode(record, { hideProvider }))}\n`,
  },
  focus: {
    contentType: "text/csv; charset=utf-8",
    fileName: `usage-focus-${focusVersion}.csv`,
    head: csvLine(focusColumns),
    write: (record, { hideProvider }) => focusRows(record, hideProvider).map(csvLine).join(""),
  },
};

/** @throws 400 naming `format` */
export function readFormat(parameters: Parameters): ExportFormat {
  const name = parameters.get("format") ?? "csv";
  const format = Object.hasOwn(formats, name) ? formats[name] : undefined;
  if (format === undefined) throw invalidParameter("format", `one of ${Object.keys(formats).join(", ")}`);
  return format;
}

/** Records that are read and written before others are served: some 5 ms, and more if they come from a slow disk. */
const recordsAtOnce = 100;

/** The records that a filter selects, newest first, as text that is made while it is read. */
export async function* exportRecords(
  store: Pick<UsageStore, "list">,
  filter: RecordFilter,
  format: ExportFormat,
  how: EncodeForExport,
): AsyncGenerator<string> {
  yield format.head;
  for (let before: string | null = null; ;) {
    const records: UsageRecord[] = await store.list(filter, { limit: recordsAtOnce, before });
    if (records.length > 0) yield records.map((record) => format.write(record, how)).join("");
    // A caller that reads quickly never makes the writer wait.
    await nextTurn();
    before = records.at(-1)?.id ?? null;
    if (records.length < recordsAtOnce) return;
  }
}
