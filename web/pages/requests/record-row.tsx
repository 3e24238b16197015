import { memo } from "react";
import type { UsageRecord } from "../../api/types.ts";
import { classNames } from "../../components/class-names.ts";
import type { Column } from "./columns.tsx";
import { RecordCard } from "./record-card.tsx";

interface RecordRowProps {
  readonly record: UsageRecord;
  readonly index: number;
  /** Pixels from the top of the list. */
  readonly start: number;
  readonly height: number;
  /** Null for a card, on a small screen. */
  readonly columns: readonly Column[] | null;
  readonly isOpen: boolean;
  readonly onOpen: (id: string) => void;
}

/** A row of the list. While the list is scrolled, only rows that come are made. */
export const RecordRow = memo(function RecordRow(props: RecordRowProps) {
  const { record, index, start, height, columns, isOpen, onOpen } = props;
  return (
    <div
      role="row"
      data-row={index}
      tabIndex={-1}
      aria-rowindex={index + 1}
      aria-current={isOpen || undefined}
      onClick={() => onOpen(record.id)}
      onKeyDown={({ key }) => key === "Enter" && onOpen(record.id)}
      style={{ transform: `translateY(${start}px)`, height }}
      className={classNames(
        "absolute inset-x-0 top-0 cursor-pointer border-b border-line px-4 text-sm hover:bg-hover focus-visible:-outline-offset-2 sm:px-6",
        columns && "record-grid grid items-center",
        isOpen && "bg-accent-soft",
      )}
    >
      {columns === null ? (
        <RecordCard record={record} />
      ) : (
        columns.map(({ id, right, cell }) => (
          <span key={id} role="cell" className={classNames("truncate px-1.5", right && "numeric text-right")}>
            {cell(record)}
          </span>
        ))
      )}
    </div>
  );
});
