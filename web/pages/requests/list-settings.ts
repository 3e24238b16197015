import { useState } from "react";
import { type ColumnId, columns, usualColumns } from "./columns.tsx";
import type { Filters } from "../../filters/filters.ts";

/** Filters and columns under a name, kept in this browser. */
export interface View {
  readonly name: string;
  readonly filters: Filters;
  readonly columns: readonly ColumnId[];
}

interface Settings {
  readonly columns: readonly ColumnId[];
  readonly views: readonly View[];
}

const place = "tollgate.requests";
const usual: Settings = { columns: usualColumns, views: [] };

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
    return { columns: known.length > 0 ? known : usual.columns, views: Array.isArray(kept.views) ? kept.views : [] };
  } catch {
    return usual;
  }
}
