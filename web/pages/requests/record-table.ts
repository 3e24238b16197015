import {
  type ColumnDef,
  columnResizingFeature,
  columnSizingFeature,
  columnVisibilityFeature,
  tableFeatures,
  useTable,
} from "@tanstack/react-table";
import { useMemo } from "react";
import type { UsageRecord } from "../../api/types.ts";
import { type ColumnId, columns } from "./columns.tsx";

/** Widths in pixels of the columns that were made wider or narrower; the others have that of their definition. */
export type Widths = Readonly<Partial<Record<ColumnId, number>>>;

export const minWidth = 48;
export const maxWidth = 960;

const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature, columnResizingFeature });

const definitions: ColumnDef<typeof features, UsageRecord>[] = columns.map(({ id, cell }) => {
  return { id, minSize: minWidth, maxSize: maxWidth, cell: ({ row }) => cell(row.original) };
});

export interface RecordTableOptions {
  /** Those in sight: rows that are not drawn need none. */
  readonly records: readonly UsageRecord[];
  readonly shown: readonly ColumnId[];
  readonly widths: Widths;
  readonly onWidths: (widths: Widths) => void;
}

/** Which columns are shown, how wide they are, and the cells of the records in sight. */
export function useRecordTable({ records, shown, widths, onWidths }: RecordTableOptions) {
  const columnVisibility = useMemo(
    () => Object.fromEntries(columns.map(({ id }) => [id, shown.includes(id)])),
    [shown],
  );
  const columnSizing = useMemo(() => Object.fromEntries(Object.entries(widths)), [widths]);
  return useTable({
    features,
    columns: definitions,
    data: records,
    getRowId: ({ id }) => id,
    columnResizeMode: "onChange",
    state: { columnVisibility, columnSizing },
    onColumnSizingChange: (change) => onWidths(typeof change === "function" ? change(columnSizing) : change),
  });
}

export type RecordTable = ReturnType<typeof useRecordTable>;

/** The columns of the grid that a row is. */
export function gridOf(shown: readonly ColumnId[], widths: Widths): string {
  return columns
    .filter(({ id }) => shown.includes(id))
    .map(({ id, width }) => (widths[id] === undefined ? width : `${widths[id]}px`))
    .join(" ");
}
