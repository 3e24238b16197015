import { useVirtualizer } from "@tanstack/react-virtual";
import { FlexRender } from "@tanstack/react-table";
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useMemo, useRef } from "react";
import { classNames } from "../../components/class-names.ts";
import { useSmallScreen } from "../../components/small-screen.ts";
import { words } from "../../words/en.ts";
import { columns } from "./columns.tsx";
import { RecordCard } from "./record-card.tsx";
import { RecordHead } from "./record-head.tsx";
import { gridOf, type RecordTableOptions, useRecordTable } from "./record-table.ts";

interface RecordListProps extends RecordTableOptions {
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
  /** Called when the last rows come into sight. */
  readonly onEnd: () => void;
  readonly foot: ReactNode;
}

const rowHeight = 36;
const cardHeight = 60;
const isRight = new Map<string, boolean>(columns.map(({ id, right }) => [id, right === true]));

/** The rows that are in sight, of any number. `j`, `k` and the arrows go along them, Enter opens one. */
export function RecordList({ records, openId, onOpen, onEnd, foot, ...columnOptions }: RecordListProps) {
  const scroller = useRef<HTMLDivElement>(null);
  const isSmall = useSmallScreen();
  const height = isSmall ? cardHeight : rowHeight;
  const rows = useVirtualizer({
    count: records.length,
    getScrollElement: () => scroller.current,
    estimateSize: () => height,
    overscan: 12,
  });
  useEffect(() => {
    rows.measure();
  }, [rows, height]);
  const items = rows.getVirtualItems();
  const first = items[0]?.index ?? 0;
  const last = items.at(-1)?.index ?? -1;
  const inSight = useMemo(() => records.slice(first, last + 1), [records, first, last]);
  const table = useRecordTable({ records: inSight, ...columnOptions });
  const cells = table.getRowModel().rows;
  useEffect(() => {
    if (last >= records.length - 20) onEnd();
  }, [last, records.length, onEnd]);

  const listen = (event: KeyboardEvent) => {
    const step = { j: 1, ArrowDown: 1, k: -1, ArrowUp: -1 }[event.key];
    const row = event.target instanceof HTMLElement ? event.target.closest<HTMLElement>("[data-row]") : null;
    if (step === undefined) return;
    event.preventDefault();
    const next = row ? Number(row.dataset["row"]) + step : 0;
    if (next < 0 || next >= records.length) return;
    rows.scrollToIndex(next);
    requestAnimationFrame(() => scroller.current?.querySelector<HTMLElement>(`[data-row="${next}"]`)?.focus());
  };
  // React has no type for a property of one's own.
  const grid = { "--columns": gridOf(columnOptions.shown, columnOptions.widths) } as CSSProperties;
  const open = (id: string) => ({
    onClick: () => onOpen(id),
    onKeyDown: ({ key }: KeyboardEvent) => key === "Enter" && onOpen(id),
  });
  return (
    <div
      ref={scroller}
      role="table"
      tabIndex={0}
      aria-label={words.requests.title}
      aria-rowcount={-1}
      onKeyDown={listen}
      className="min-h-0 flex-1 overflow-auto focus-visible:-outline-offset-2"
    >
      <div className={classNames(!isSmall && "w-max min-w-full")} style={grid}>
        {!isSmall && <RecordHead table={table} />}
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const record = records[index];
            if (!record) return null;
            return (
              <div
                key={record.id}
                role="row"
                data-row={index}
                tabIndex={-1}
                aria-rowindex={index + 1}
                aria-current={record.id === openId || undefined}
                {...open(record.id)}
                style={{ transform: `translateY(${start}px)`, height }}
                className={classNames(
                  "absolute inset-x-0 top-0 cursor-pointer border-b border-line px-4 text-sm hover:bg-hover focus-visible:-outline-offset-2 sm:px-6",
                  !isSmall && "record-grid grid items-center",
                  record.id === openId && "bg-accent-soft",
                )}
              >
                {isSmall ? (
                  <RecordCard record={record} />
                ) : (
                  cells[index - first]?.getVisibleCells().map((cell) => (
                    <span
                      key={cell.column.id}
                      role="cell"
                      className={classNames("truncate px-1.5", isRight.get(cell.column.id) && "numeric text-right")}
                    >
                      <FlexRender cell={cell} />
                    </span>
                  ))
                )}
              </div>
            );
          })}
        </div>
        {foot}
      </div>
    </div>
  );
}
