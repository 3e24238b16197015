import { useState } from "react";
import { type ColumnId, columns, usualColumns } from "./columns.tsx";
import type { Filters } from "../../filters/filters.ts";

/** Widths in pixels of the columns that were made wider or narrower; the others have that of their definition. */
export type Widths = Readonly<Partial<Record<ColumnId, number>>>;

export const minWidth = 48;
export const maxWidth = 960;

/** Filters and columns under a name, kept in this browser. */
export interface View {
  readonly name: string;
  readonly filters: Filters;
  readonly columns: readonly ColumnId[];
}

interface Settings {
  readonly columns: readonly ColumnId[];
  readonly widths: Widths;
  readonly views: readonly View[];
}

const place = "tollgate.requests";
const usual: Settings = { columns: usualColumns, widths: {}, views: [] };

/** What this browser keeps of the list, and how to change it. */
export function useListSettings(): readonly [Settings, (part: Partial<Settings>) => void] {
  const [settings, set] = useState(read);
  const change = (part: Partial<Settings>) => {
    const next = { ...settings, ...part };
    set(next);
    try {
      localStorage.setItem(place, JSON.stringify(next));
    } catch {
      // It lasts until the page is closed then.
    }
  };
  return [settings, change];
}

function read(): Settings {
  try {
    const kept = JSON.parse(localStorage.getItem(place) ?? "{}") as Partial<Settings>;
    const known = columns.map(({ id }) => id).filter((id) => kept.columns?.includes(id) === true);
    return {
      columns: known.length > 0 ? known : usual.columns,
      widths: readWidths(kept.widths ?? {}),
      views: Array.isArray(kept.views) ? kept.views : [],
    };
  } catch {
    return usual;
  }
}

function readWidths(kept: Widths): Widths {
  return Object.fromEntries(
    columns.flatMap(({ id }) => {
      const width = kept[id];
      return typeof width === "number" && width >= minWidth && width <= maxWidth ? [[id, width]] : [];
    }),
  );
}
