import { useVirtualizer } from "@tanstack/react-virtual";
import { type CSSProperties, type KeyboardEvent, type ReactNode, useEffect, useRef } from "react";
import type { UsageRecord } from "../../api/types.ts";
import { classNames } from "../../components/class-names.ts";
import { useSmallScreen } from "../../components/small-screen.ts";
import { words } from "../../words/en.ts";
import { type Column, templateOf } from "./columns.tsx";
import type { Widths } from "./list-settings.ts";
import { RecordHead } from "./record-head.tsx";
import { RecordRow } from "./record-row.tsx";

interface RecordListProps {
  readonly records: readonly UsageRecord[];
  readonly columns: readonly Column[];
  readonly widths: Widths;
  readonly onWidths: (widths: Widths) => void;
  readonly openId: string | null;
  readonly onOpen: (id: string) => void;
  /** Called when the last rows come into sight. */
  readonly onEnd: () => void;
  readonly foot: ReactNode;
}

const rowHeight = 36;
const cardHeight = 60;

/** The rows that are in sight, of any number. `j`, `k` and the arrows go along them, Enter opens one. */
export function RecordList(props: RecordListProps) {
  const { records, columns, widths, onWidths, openId, onOpen, onEnd, foot } = props;
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
  const last = items.at(-1)?.index ?? -1;
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
  const grid = { "--columns": templateOf(columns, widths) } as CSSProperties;
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
        {!isSmall && <RecordHead shown={columns} widths={widths} onWidths={onWidths} />}
        <div role="rowgroup" className="relative" style={{ height: rows.getTotalSize() }}>
          {items.map(({ index, start }) => {
            const record = records[index];
            if (!record) return null;
            return (
              <RecordRow
                key={record.id}
                record={record}
                index={index}
                start={start}
                height={height}
                columns={isSmall ? null : columns}
                isOpen={record.id === openId}
                onOpen={onOpen}
              />
            );
          })}
        </div>
        {foot}
      </div>
    </div>
  );
}
