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
import { type Column, columns } from "./columns.tsx";
import { maxWidth, minWidth, type Widths } from "./list-settings.ts";

const features = tableFeatures({ columnVisibilityFeature, columnSizingFeature, columnResizingFeature });
const definitions: ColumnDef<typeof features, UsageRecord>[] = columns.map(({ id }) => {
  return { id, minSize: minWidth, maxSize: maxWidth };
});
/** Rows are drawn by the list, which makes only those that come into sight. */
const noRows: readonly UsageRecord[] = [];

export interface RecordTableOptions {
  readonly shown: readonly Column[];
  readonly widths: Widths;
  readonly onWidths: (widths: Widths) => void;
}

/** Which columns are shown, and how wide they are. */
export function useRecordTable({ shown, widths, onWidths }: RecordTableOptions) {
  const columnVisibility = useMemo(() => {
    return Object.fromEntries(columns.map((column) => [column.id, shown.includes(column)]));
  }, [shown]);
  const columnSizing = useMemo(() => Object.fromEntries(Object.entries(widths)), [widths]);
  return useTable({
    features,
    columns: definitions,
    data: noRows,
    columnResizeMode: "onChange",
    state: { columnVisibility, columnSizing },
    onColumnSizingChange: (change) => onWidths(typeof change === "function" ? change(columnSizing) : change),
  });
}

export type RecordTable = ReturnType<typeof useRecordTable>;
