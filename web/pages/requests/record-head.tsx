import { type KeyboardEvent, type PointerEvent, useId } from "react";
import { flushSync } from "react-dom";
import { classNames } from "../../components/class-names.ts";
import { words } from "../../words/en.ts";
import { type Column, columns } from "./columns.tsx";
import { maxWidth, minWidth } from "./list-settings.ts";
import { type RecordTable, type RecordTableOptions, useRecordTable } from "./record-table.ts";

type Header = ReturnType<RecordTable["getFlatHeaders"]>[number];

/** By one press of an arrow key, in pixels. */
const keyStep = 16;

const byId = new Map<string, Column>(columns.map((column) => [column.id, column]));

/** The names of the columns, each with a handle at its right that makes it wider or narrower. */
export function RecordHead(options: RecordTableOptions) {
  const table = useRecordTable(options);
  return (
    <div role="rowgroup" className="sticky top-0 z-10 border-b border-line bg-canvas">
      <div role="row" className="record-grid grid px-4 text-xs text-faint sm:px-6">
        {table.getFlatHeaders().map((header) => (
          <HeadCell key={header.id} header={header} />
        ))}
      </div>
    </div>
  );
}

function HeadCell({ header }: { readonly header: Header }) {
  const id = useId();
  const column = byId.get(header.column.id);
  if (!column) return null;
  return (
    <span role="columnheader" className="group relative flex min-w-0">
      <span id={id} className={classNames("min-w-0 flex-1 truncate px-1.5 py-1.5", column.right && "text-right")}>
        {words.requests.column[column.id]}
      </span>
      <Handle header={header} describedBy={id} />
    </span>
  );
}

/** Drawn by the mouse or a finger, moved by the arrow keys; a double click gives the usual width back. */
function Handle({ header, describedBy }: { readonly header: Header; readonly describedBy: string }) {
  const { column, table } = header;
  const setWidth = (width: number) => {
    table.setColumnSizing((before) => ({ ...before, [column.id]: Math.min(maxWidth, Math.max(minWidth, width)) }));
  };
  const begin = (event: PointerEvent<HTMLElement>) => {
    const width = widthAround(event.currentTarget);
    // The column shares the free width until now: it is drawn from the width that it has.
    flushSync(() => setWidth(width));
  };
  const drag = header.getResizeHandler();
  const listen = (event: KeyboardEvent<HTMLElement>) => {
    const step = event.key === "ArrowRight" ? keyStep : event.key === "ArrowLeft" ? -keyStep : 0;
    if (step === 0) return;
    event.preventDefault();
    event.stopPropagation();
    setWidth(widthAround(event.currentTarget) + step);
  };
  return (
    <button
      type="button"
      aria-label={words.requests.resize}
      aria-describedby={describedBy}
      onPointerDown={begin}
      onMouseDown={drag}
      onTouchStart={drag}
      onDoubleClick={() => column.resetSize()}
      onKeyDown={listen}
      className={classNames(
        "absolute inset-y-1 right-0 w-2 cursor-col-resize touch-none border-r border-transparent group-hover:border-line hover:border-accent focus-visible:border-accent",
        column.getIsResizing() && "border-accent",
      )}
    />
  );
}

function widthAround(handle: HTMLElement): number {
  return Math.round(handle.parentElement?.getBoundingClientRect().width ?? minWidth);
}
